// Catches whatever the reported bugs caught: the answers that people worked out and that the case files print.
#include "properties/case_file.hpp"
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <map>

namespace plusmax::properties::logsumexp {
namespace {

// The built-in rows that have an answer, by their case line.
const CaseRow* row_of(const Case& of) {
  static const std::map<std::string, CaseRow> known = [] {
    std::map<std::string, CaseRow> rows;
    for (const CaseText& text : built_in_case_texts())
      for (CaseRow& row : built_in_cases(text.name))
        if (row.kind == CaseRow::Kind::run && !row.expected.empty()) rows.emplace(to_line(row.of), row);
    return rows;
  }();
  const auto found = known.find(to_line(of));
  return found == known.end() ? nullptr : &found->second;
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  return row_of(of) ? "" : "no case file prints an answer for it";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto rows = rows_of(of);
  const CaseRow& answers = *row_of(of);
  const auto measured = measure(subject, *rows, layout_of(of), execution_of(subject), tally);
  for (std::int64_t r = 0; measured && r < of.rows; ++r) {
    const auto answer = answers.expected.at(r);
    if (!answer) continue;
    const double got = measured->results.lse[static_cast<std::size_t>(r)];
    const double bound = finite_row(*rows, r) ? bound_of(*rows, r, measured->shape).value : 0;
    tally.holds(answers.id + ": printed answer", expected_matches(answers, r, got, bound), r, got, answer->value,
                bound + answer->half_unit, of.cols);
  }
  tally.finish();
}

}  // namespace
extern const Check expected;
const Check expected = {"expected", "a reported case gives the answer that its report has", true, applies, run};
}  // namespace plusmax::properties::logsumexp
