// tests/cases/*.cases: one case a line, with its right answer where a person knows it.
//
//   # comment
//   logsumexp f32 rows=3 cols=33 seed=4                          a plain case
//   ID | CASE LINE | = [ANSWERS] gpu | NOTE                      third and fourth field may be left out
//   ID | any text  | refused REASON | NOTE                       the contract refuses it
//   ID | any text  | later REASON | NOTE                         needs what this version does not have
//
// answers.hpp says what answers look like. `gpu` marks a case too large for the host.
#pragma once

#include "properties/answers.hpp"
#include "properties/case.hpp"

#include <span>

namespace plusmax::properties {

struct CaseRow {
  enum class Kind { run, refused, later };

  std::string id;  // "B13", "B13a"; empty for a plain case
  Kind kind = Kind::run;
  Case of;           // only for Kind::run
  std::string text;  // the case line, or the text of what does not run, as written
  Answers answers;
  bool gpu = false;
  std::string reason;  // of refused and later
  std::string note;
  std::string file;
  int line = 0;  // counted from 1

  std::string where() const { return file + ":" + std::to_string(line); }
};

// Both throw UsageError with the file, the line, and what to write instead.
std::vector<CaseRow> parse_case_file(std::string_view name, std::string_view text);
std::vector<CaseRow> read_case_file(const std::string& path);

// The files of tests/cases/ as they were when this executable was configured, sorted by name.
struct CaseText {
  const char* name;  // "reported"
  const char* text;
};
std::span<const CaseText> built_in_case_texts();
std::vector<CaseRow> built_in_cases(std::string_view name);

// "B13a" is a line of the report B13.
std::string report_of(std::string_view id);

}  // namespace plusmax::properties
