// Catches everything that moves a result: the certified value of each row, within the bound of the variant's own launch.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"


namespace plusmax::properties::logsumexp {
namespace {

std::string applies(const Case& of, const Subject& subject) { return refusal(subject, of); }

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto rows = rows_of(of);
  const auto measured = measure(subject, *rows, layout_of(of), execution_of(subject), tally);
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
}  // namespace plusmax::properties::logsumexp
