// One run of a verb that leaves a report: its directory, its records in order, its progress, its last words.
#pragma once

#include "cli/backend.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "reports/digest.hpp"
#include "reports/files.hpp"
#include "reports/run_data.hpp"
#include "reports/summary.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plusmax::cli {

struct Invocation {
  std::vector<std::string> argv;
};

class Run {
 public:
  // Makes the directory (a previous run moves to DIR.old). Throws UsageError if that cannot be.
  Run(const Invocation& invocation, const Running& running, const std::string& verb, const std::string& profile, const Backend& backend);

  // Kept back until every group before `group` has ended, so that the file does not depend on who was faster.
  void add(std::size_t group, properties::Record record);
  void end_group(std::size_t group);
  void add(properties::MutantResult result);
  void add(properties::BenchResult result);
  void note(std::string text);
  // From now on only records that stand out are kept as they are, the others as sums: for searches.
  void keep_digest() { digest_.emplace(); }

  // True on Ctrl-C and once a file could not be written.
  bool must_stop() const;
  Progress& progress() { return progress_; }
  const reports::RunData& data() const { return data_; }

  // Writes the report and prints the summary; answers the exit code.
  int finish();

 private:
  void write(const properties::Record& record);  // or sums it
  void store(const properties::Record& record);
  void store_sums();
  void flush();
  template <class Action>
  void guarded(Action action);  // keeps the first failure to write, stops the run

  Running running_;
  std::string directory_;  // where --out leads to
  std::optional<reports::DirectoryLock> lock_;
  std::optional<reports::Digest> digest_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  reports::RunData data_;
  Progress progress_;
  std::unique_ptr<reports::LineFile> records_, mutants_, bench_;
  struct Held {
    std::vector<properties::Record> records;
    bool ended = false;
  };
  std::map<std::size_t, Held> held_;
  std::size_t next_group_ = 0;
  std::string file_failure_;
};

// "passed    warp_per_row oracle: logsumexp f32 rows=1 cols=8"; verbosity 2 adds the figures.
std::string outcome_line(const properties::Record& record, int verbosity);

}  // namespace plusmax::cli
