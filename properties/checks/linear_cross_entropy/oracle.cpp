// Catches everything that moves a result: each number that a call leaves, within the bound of its own launch.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

std::string applies(const Case& of, const Subject& subject) { return refusal(subject, of); }

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  Execution execution = execution_of(subject);
  execution.verify_inputs = true;
  const auto launch = launched(subject, exact_of(of), execution, tally);
  if (launch) launch->judge("against the reference", tally);
  if (of.rows == 0 && launch && record.compared == 0) {  // that nothing was written was checked by the launch
    record.outcome = Outcome::passed;
    return;
  }
  tally.finish();
}

}  // namespace
extern const Check oracle;
const Check oracle = {
    "oracle",
    "each loss, sum, count and gradient of X, W and bias lies within its error bound of the certified "
    "value, and is NaN, infinite or zero exactly where that is",
    true, applies, run};
}  // namespace plusmax::properties::linear_cross_entropy
