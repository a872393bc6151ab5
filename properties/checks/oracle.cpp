// Catches everything that moves a result: the certified value of each row, within the bound of the variant's own launch.
#include "properties/check.hpp"
#include "properties/relation.hpp"


namespace plusmax::properties::checks {
namespace {

std::string applies(const Case& of, const Subject& subject) { return ops::refusal(subject, of); }

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record, of.dtype);
  const auto rows = rows_of(of);
  const auto measured = measure(subject, *rows, ops::layout_of(of), ops::execution_of(subject), tally);
  if (measured) judge_all("against the reference", *rows, *measured, tally);
  if (of.rows == 0 && measured) {  // nothing to compare: that nothing was written was checked by the launch
    record.outcome = Outcome::passed;
    return;
  }
  tally.finish();
}

}  // namespace
extern const Check oracle;
const Check oracle = {"oracle", "each result lies within its error bound of the certified value, and is NaN or infinite exactly where that is",
                      true, applies, run};
}  // namespace plusmax::properties::checks
