// Catches the harness itself: a bound so wide that it hides mistakes. A constant below one maximum rounds the same way at
// every addition, so that the error reaches about a quarter of the bound in every layout (docs/numerics.md section 5).
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::logsumexp {
namespace {

constexpr double kLeastShare = 0.05;
constexpr std::int64_t kLogits = std::int64_t{1} << 20;
constexpr std::int64_t kMostColumns = std::int64_t{1} << 17;
constexpr std::int64_t kLeastColumns = 1024;  // fewer additions leave too little to round

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  if (of.dtype != PLUSMAX_F32 || of.fill != "plateau") return "looks at f32 plateau rows only";
  return of.cols < kLeastColumns || of.cols > kMostColumns ? "looks at 1024 to 131072 columns" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  // Depths at which the plateau adds between 0.6 and 0.05 to the 1 of the maximum. Which of them rounds worst depends on the
  // layout, and short chains need luck; the maximum stands where chains of additions begin.
  const std::int64_t depths = std::clamp<std::int64_t>(kLogits / of.cols, 64, 1024);
  const Rows rows(of.dtype, depths, of.cols, [&](std::int64_t r, double* out) {
    const double depth = 0.5 + 2.5 * static_cast<double>(r) / static_cast<double>(depths);
    const double below = reference::round_to(of.dtype, -(std::log(static_cast<double>(of.cols)) + depth));
    for (std::int64_t j = 0; j < of.cols; ++j) out[j] = below;
    out[r % 2 ? of.cols / 2 : 0] = 0;
  });
  Execution execution = execution_of(subject);
  execution.approx_noise = 1;  // what the bound allows the host's functions, they shall use
  const auto measured = measure(subject, rows, reshaped(of, rows.rows(), of.cols), execution, tally);
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
}  // namespace plusmax::properties::logsumexp
