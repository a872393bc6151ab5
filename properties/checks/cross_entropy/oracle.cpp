// Catches everything that moves a result: each number that a call leaves, within the bound of the variant's own launch.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/measure.hpp"

namespace plusmax::properties::cross_entropy {
namespace {

std::string applies(const Case& of, const Subject& subject) { return refusal(subject, of); }

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = exact_of(of);
  const auto measured = measure(subject, exact->call(), execution_of(subject), tally);
  if (measured) judge_all("against the reference", *exact, *measured, tally);
  if (of.rows == 0 && measured && record.compared == 0) {  // that nothing was written was checked by the launch
    record.outcome = Outcome::passed;
    return;
  }
  tally.finish();
}

}  // namespace
extern const Check oracle;
const Check oracle = {"oracle",
                      "each loss, sum, count and gradient lies within its error bound of the certified value, and is NaN, "
                      "infinite or zero exactly where that is",
                      true, applies, run};
}  // namespace plusmax::properties::cross_entropy
