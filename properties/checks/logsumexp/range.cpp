// Catches a result off the row altogether: no +max, log2 for ln, a sum without the maximum's own term.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <cmath>

namespace plusmax::properties::logsumexp {
namespace {

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  return of.rows == 0 || of.cols == 0 ? "needs at least one logit" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto rows = rows_of(of);
  const auto measured = measure(subject, *rows, layout_of(of), execution_of(subject), tally);
  for (std::int64_t r = 0; measured && r < of.rows; ++r) {
    if (!finite_row(*rows, r)) continue;
    const auto& exact = rows->exact(r);
    const double got = measured->results.lse[static_cast<std::size_t>(r)];
    // The term of the maximum is exactly 1, and sums of what is not negative never fall below a term: no bound is needed.
    tally.at_least("maximum of the row", r, got, exact.max, of.cols);
    const double highest = exact.max + std::log(static_cast<double>(of.cols));
    const double slack = bound_of(*rows, r, measured->shape).value + std::ldexp(std::fabs(highest) + 1, -51);
    tally.at_least("maximum + ln cols (both negated)", r, -got, -highest - slack, of.cols);
  }
  tally.part_skipped("no row with a finite result");
  tally.finish();
}

}  // namespace
extern const Check range;
const Check range = {"range", "a result lies between the maximum of its row and ln cols above it", false, applies, run};
}  // namespace plusmax::properties::logsumexp
