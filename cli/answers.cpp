#include "cli/answers.hpp"

#include "properties/answer_check.hpp"
#include "properties/operation.hpp"

namespace plusmax::cli {
namespace {

using properties::Case;
using properties::Record;
using properties::Subject;

// Of the check that runs: a check has no more of its own than its case.
const properties::CaseRow* asked = nullptr;

std::string applies(const Case& of, const Subject& subject) { return properties::operation_named(of.op).refusal(subject, of); }

void run(const Case&, Subject& subject, Record& record) {
  properties::Tally tally(record);
  properties::compare_answers(asked->where(), *asked, subject, tally);
  tally.finish();
}

}  // namespace

bool has_answers(const properties::CaseRow& row, const std::string& source) {
  return source == "file" && !row.answers.empty();
}

Record check_answers(const properties::CaseRow& row, Subject& subject) {
  asked = &row;
  return properties::run_check({"expected", "", true, applies, run}, row.of, subject);
}

}  // namespace plusmax::cli
