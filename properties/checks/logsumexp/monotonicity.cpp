// Catches logits that do not reach the result: raising one must not lower it, and a new maximum must carry it along.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::logsumexp {
namespace {

// The columns at which things happen: both ends, and a few that the seed picks.
std::vector<std::size_t> columns(std::int64_t cols, const Random& random) {
  std::vector<std::size_t> picked{0, static_cast<std::size_t>(cols - 1), static_cast<std::size_t>(cols / 2)};
  for (std::uint64_t k = 0; k < 3; ++k) picked.push_back(random.bits(k) % static_cast<std::uint64_t>(cols));
  std::sort(picked.begin(), picked.end());
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  return picked;
}

// A logit raised a little, or above the maximum of its row.
double raised(plusmax_dtype dtype, double x, double max, bool above) {
  const double target = above ? std::max(x, max) + 8 : x + std::max(0.5, std::fabs(x) * 2 * reference::unit_roundoff(dtype));
  return std::min(reference::round_to(dtype, target), reference::largest(dtype));
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = relation_rows(of);
  const Layout layout = reshaped(of, rows.rows(), of.cols);
  const auto given = measure(subject, rows, layout, execution_of(subject), tally);
  if (!given) return tally.finish();
  for (const std::size_t column : columns(of.cols, random_of(of, "monotonicity"))) {
    for (const bool above : {false, true}) {
      const Rows higher = edited(rows, of.cols, [&](std::int64_t r, auto in, auto out) {
        std::copy(in.begin(), in.end(), out.begin());
        if (finite_row(rows, r) && std::isfinite(in[column])) out[column] = raised(of.dtype, in[column], rows.exact(r).max, above);
      });
      const auto measured = measure(subject, higher, layout, execution_of(subject), tally);
      if (!measured) continue;
      for (std::int64_t r = 0; r < rows.rows(); ++r) {
        if (!finite_row(rows, r) || !finite_row(higher, r)) continue;
        const auto at = static_cast<std::size_t>(r);
        const double slack = bound_of(rows, r, given->shape).value + bound_of(higher, r, measured->shape).value;
        const std::string what = "column " + std::to_string(column) + " raised";
        tally.at_least(what, r, measured->results.lse[at], given->results.lse[at] - slack, 2 * of.cols);
        tally.at_least(what + ", against its maximum", r, measured->results.lse[at], higher.exact(r).max, of.cols);
      }
    }
  }
  tally.part_skipped("no row with a finite result");
  tally.finish();
}

}  // namespace
extern const Check monotonicity;
const Check monotonicity = {"monotonicity", "raising a logit never lowers the result", false, relation_refusal, run};
}  // namespace plusmax::properties::logsumexp
