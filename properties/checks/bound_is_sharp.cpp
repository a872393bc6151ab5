// Catches the harness itself: a bound so wide that it hides mistakes. A constant below one maximum rounds the same way at
// every addition, so that the error reaches about a quarter of the bound in every layout (docs/numerics.md section 5).
#include "properties/check.hpp"
#include "properties/relation.hpp"
#include "reference/dtype.hpp"

#include <cmath>

namespace plusmax::properties::checks {
namespace {

constexpr double kLeastShare = 0.05;
constexpr std::int64_t kLeastColumns = 1024;  // fewer additions leave too little to round

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  if (of.dtype != PLUSMAX_F32 || of.fill != "plateau") return "looks at f32 plateau rows only";
  return of.cols < kLeastColumns ? "needs 1024 columns" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record, of.dtype);
  // Depths at which the plateau adds between 1 and 0.05 to the 1 of the maximum; which of them rounds worst depends on
  // the layout. The maximum stands where a chain of additions begins.
  const double depths[] = {0.02, 0.13, 0.31, 0.48, 0.72, 0.97, 1.23, 1.51, 1.83, 2.17, 2.58, 2.91};
  const std::int64_t count = std::size(depths);
  const Rows rows(of.dtype, 2 * count, of.cols, [&](std::int64_t r, double* out) {
    const double below = reference::round_to(of.dtype, -(std::log(static_cast<double>(of.cols)) + depths[r % count]));
    for (std::int64_t j = 0; j < of.cols; ++j) out[j] = below;
    out[r < count ? 0 : of.cols / 2] = 0;
  });
  const auto measured = measure(subject, rows, reshaped(of, rows.rows(), of.cols), ops::execution_of(subject), tally);
  if (measured) judge_all("plateau", rows, *measured, tally);
  tally.finish();
  if (record.outcome == Outcome::passed && !(record.sum_ratio >= kLeastShare)) {
    record.outcome = Outcome::untrusted;
    record.reason = "the harness: the sum reaches only " + std::to_string(record.sum_ratio) + " of its bound, which must be sharp to " +
                    std::to_string(kLeastShare);
  }
}

}  // namespace
extern const Check bound_is_sharp;
const Check bound_is_sharp = {"bound_is_sharp", "the worst row comes within a twentieth of the bound on its sum: no mistake hides below it",
                              false, applies, run};
}  // namespace plusmax::properties::checks
