// Everything one run left behind: what every report file is made from.
#pragma once

#include "properties/record.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace plusmax::reports {

inline constexpr int kSchemaVersion = 1;

struct CheckInfo {
  std::string op, name, statement;
  bool has_margin = false;
};

struct RunData {
  properties::RunInfo info;
  std::vector<CheckInfo> checks;  // of this build
  std::vector<properties::Record> records;
  std::vector<properties::MutantResult> mutants;
  std::vector<properties::BenchResult> bench;
  std::string unrecorded;          // why records are missing, if some could not be written; info.interrupted is true then
  std::vector<std::string> notes;  // what a reader must know: "records.jsonl: last line is cut off, left out"
};

// Reads run.json, records.jsonl, mutants.jsonl and bench.jsonl, those that are there. A cut-off last line is left out with a
// note. Throws std::runtime_error with file and line number for anything else, and if there is none of them.
RunData read_run(const std::filesystem::path& directory);

// run.json: meta and checks, without the records.
std::string run_json(const RunData& data);

// Appends the records of `from`; the meta of `into` stays.
void merge(RunData& into, RunData from);

}  // namespace plusmax::reports
