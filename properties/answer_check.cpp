#include "properties/answer_check.hpp"

#include "properties/operation.hpp"

#include <map>

namespace plusmax::properties {
namespace {

// The built-in rows that have an answer, by their case line.
const CaseRow* row_of(const Case& of) {
  static const std::map<std::string, CaseRow> known = [] {
    std::map<std::string, CaseRow> rows;
    for (const CaseText& text : built_in_case_texts())
      for (CaseRow& row : built_in_cases(text.name))
        if (row.kind == CaseRow::Kind::run && !row.answers.empty()) rows.emplace(to_line(row.of), row);
    return rows;
  }();
  const auto found = known.find(to_line(of));
  return found == known.end() ? nullptr : &found->second;
}

}  // namespace

void compare_answers(std::string_view from, const CaseRow& row, const Subject& subject, Tally& tally) {
  const Case& of = row.of;
  for (const RowResult& r : operation_named(of.op).inspect(of, subject, row.answers.extent(of))) {
    const auto answer = row.answers.at(r.result, r.row);
    if (!answer) continue;
    const double bound = r.want_class == "finite" ? r.bound : 0;
    tally.holds(std::string(from) + ": printed " + r.result, matches(*answer, r.got, bound), r.row, r.got,
                answer->value, bound + answer->half_unit, of.cols);
  }
}

std::string answer_refusal(const Case& of, const Subject& subject) {
  if (std::string why = operation_named(of.op).refusal(subject, of); !why.empty()) return why;
  return row_of(of) ? "" : "no case file prints an answer for it";
}

void check_answers(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const CaseRow& row = *row_of(of);
  compare_answers(row.id, row, subject, tally);
  tally.finish();
}

}  // namespace plusmax::properties
