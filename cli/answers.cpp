#include "cli/answers.hpp"

#include "properties/operation.hpp"
#include "properties/tally.hpp"

namespace plusmax::cli {
namespace {

using properties::Case;
using properties::Record;
using properties::Subject;

// Of the check that runs: a check has no more of its own than its case.
const properties::CaseRow* asked = nullptr;

std::string applies(const Case& of, const Subject& subject) { return properties::operation_named(of.op).refusal(subject, of); }

void run(const Case& of, Subject& subject, Record& record) {
  properties::Tally tally(record);
  for (const properties::RowResult& r : properties::operation_named(of.op).inspect(of, subject, {of.rows, of.cols})) {
    const auto answer = asked->expected.at(r.row);
    if (!answer) continue;
    const double bound = r.want_class == "finite" ? r.bound : 0;
    tally.holds(asked->where() + ": printed answer", properties::expected_matches(*asked, r.row, r.got, bound), r.row,
                r.got, answer->value, bound + answer->half_unit, of.cols);
  }
  tally.finish();
}

}  // namespace

bool has_answers(const properties::CaseRow& row, const std::string& source) {
  return source == "file" && !row.expected.empty();
}

Record check_answers(const properties::CaseRow& row, Subject& subject) {
  asked = &row;
  return properties::run_check({"expected", "", true, applies, run}, row.of, subject);
}

}  // namespace plusmax::cli
