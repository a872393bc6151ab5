// tests/cases/*.cases: one case a line, with its right answer where a person knows it.
//
//   # comment
//   logsumexp f32 rows=3 cols=33 seed=4                          a plain case
//   ID | CASE LINE | = [ANSWERS] gpu | NOTE                      third and fourth field may be left out
//   ID | any text  | refused REASON | NOTE                       the contract refuses it
//   ID | any text  | later REASON | NOTE                         needs what this version does not have
//
// ANSWERS, one a row, separated by commas: 2.313261688, -inf, nan. "..." at the end repeats the list to the last row,
// and ROW: VALUE is the answer of one row apart from the list: [1024: 3.079441542, 2.079441542, ...]. A value with a
// decimal point is the exact answer rounded to the digits shown; one without is exact. `gpu` marks a case too large for
// the host.
#pragma once

#include "properties/case.hpp"

#include <optional>
#include <span>

namespace plusmax::properties {

struct PrintedValue {
  double value = 0;
  double half_unit = 0;  // half a unit of the last digit shown; 0: exact
};

struct Expected {
  std::vector<PrintedValue> list;
  bool repeats = false;
  std::vector<std::pair<std::int64_t, PrintedValue>> exceptions;

  bool empty() const { return list.empty() && exceptions.empty(); }
  std::optional<PrintedValue> at(std::int64_t row) const;  // nothing if no answer is known
};

struct CaseRow {
  enum class Kind { run, refused, later };

  std::string id;  // "B13", "B13a"; empty for a plain case
  Kind kind = Kind::run;
  Case of;           // only for Kind::run
  std::string text;  // the case line, or the text of what does not run, as written
  Expected expected;
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
// Does `got` agree with the answer of this row, given how far the variant may be from the exact value? True if no
// answer is known. Classes must match; the difference may reach `bound` and half a unit of the last digit shown.
bool expected_matches(const CaseRow&, std::int64_t row, double got, double bound);

}  // namespace plusmax::properties
