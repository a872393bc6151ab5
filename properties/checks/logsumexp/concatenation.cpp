// Catches wrong merging of partial results: no rescale, an inverted one, partials that were never read.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::properties::logsumexp {
namespace {

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.cols < 2 ? "needs two columns" : "";
}

// log(e^a + e^b) in double: its own error is below 2^-51 (|result| + 1), counted by the caller.
double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

// part + by, as far as doubles go: an exact part that is finite is no larger. An infinite part stays what it is.
double moved_by(double part, double by) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::isfinite(part) ? std::clamp(part + by, -kLargest, kLargest) : part;
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = relation_rows(of);
  const Random random = random_of(of, "concatenation");
  const auto execution = execution_of(subject);
  const auto whole = measure(subject, rows, reshaped(of, rows.rows(), of.cols), execution, tally);
  for (int k = 0; whole && k < 2; ++k) {
    const std::int64_t cut = k == 0 ? of.cols / 2 : 1 + static_cast<std::int64_t>(random.uniform(0) * static_cast<double>(of.cols - 1));
    const Rows left = edited(rows, cut, [](std::int64_t, auto in, auto out) { std::copy_n(in.begin(), out.size(), out.begin()); });
    const Rows right = edited(rows, of.cols - cut, [](std::int64_t, auto in, auto out) { std::copy(in.end() - static_cast<std::ptrdiff_t>(out.size()), in.end(), out.begin()); });
    const auto first = measure(subject, left, reshaped(of, rows.rows(), cut), execution, tally);
    const auto second = measure(subject, right, reshaped(of, rows.rows(), of.cols - cut), execution, tally);
    if (!first || !second) continue;
    for (std::int64_t r = 0; r < rows.rows(); ++r) {
      const auto at = static_cast<std::size_t>(r);
      if (!finite_row(rows, r)) continue;  // NaN and infinities: special_values
      const double a = first->results.lse[at], b = second->results.lse[at];
      const double bound_a = finite_row(left, r) ? bound_of(left, r, first->shape).value : 0;
      const double bound_b = finite_row(right, r) ? bound_of(right, r, second->shape).value : 0;
      // log_add rises with both arguments, so their bounds reach no further than these two corners.
      const double joined = log_add(a, b);
      const double highest = log_add(moved_by(a, bound_a), moved_by(b, bound_b));
      const double lowest = log_add(moved_by(a, -bound_a), moved_by(b, -bound_b));
      const double moved = std::isfinite(joined) ? std::max(highest - joined, joined - lowest) : 0;
      const double own = std::isfinite(joined) ? std::ldexp(std::fabs(joined), -49) + 0x1p-49 : 0;
      const double bound = bound_of(rows, r, whole->shape).value + moved + own;
      tally.within("cut at column " + std::to_string(cut), r, whole->results.lse[at], joined, bound, 2 * of.cols);
    }
  }
  tally.part_skipped("no row with a finite result");
  tally.finish();
}

}  // namespace
extern const Check concatenation;
const Check concatenation = {"concatenation", "the result of a row is the log-sum of the results of its two parts", true, applies, run};
}  // namespace plusmax::properties::logsumexp
