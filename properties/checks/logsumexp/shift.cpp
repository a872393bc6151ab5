// Catches whatever lets more than x - m into an exponential: exp2(fma(x, log2e, -m log2e)), no shift at all, a sentinel.
#include "properties/check.hpp"
#include "properties/grid.hpp"
#include "properties/ops/logsumexp/measure.hpp"
#include "reference/dtype.hpp"

#include <limits>

namespace plusmax::properties::logsumexp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double rounded_sum(plusmax_dtype type, double c, double log_sum) {
  // Both are numbers of the result type; f32 sums are exact in double or rounded so far below that one rounding remains.
  return type == PLUSMAX_F64 ? c + log_sum : static_cast<double>(static_cast<float>(c) + static_cast<float>(log_sum));
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows given = relation_rows(of);
  const Grid grid = grid_of(of.dtype);
  const Random random = random_of(of, "shift");
  std::vector<std::int64_t> finite;
  for (std::int64_t r = 0; r < given.rows(); ++r)
    if (finite_row(given, r)) finite.push_back(r);
  if (finite.empty()) tally.part_skipped("no row with a finite result");
  const Rows rows = select(given, finite);
  // With its maximum at exactly 0 a row's result is the stored logarithm itself.
  const Rows base = edited(rows, of.cols, [&](std::int64_t r, auto in, auto out) { settle(grid, rows.exact(r).max, -kInfinity, in, out); });
  // One phase for all: a row may not meet another start modulo 128 bytes than its shifted twin.
  const Layout layout = reshaped(of, base.rows(), of.cols);
  const auto settled = finite.empty() ? std::nullopt : measure(subject, base, layout, execution_of(subject), tally);
  if (settled) judge_all("maximum at 0", base, *settled, tally);
  for (int k = 0; settled && k < 8; ++k) {
    const double c = offset(grid, random, k);
    const Rows shifted = edited(base, of.cols, [&](std::int64_t, auto in, auto out) {
      for (std::size_t j = 0; j < in.size(); ++j) out[j] = in[j] + c;
    });
    const Results results = execute(subject, shifted, layout, execution_of(subject));
    for (std::int64_t r = 0; r < base.rows(); ++r) {
      const auto at = static_cast<std::size_t>(r);
      const double want = rounded_sum(reference::result_dtype(of.dtype), c, settled->results.lse[at]);
      tally.within("shifted by " + std::to_string(c), r, results.lse[at], want, 0, of.cols);
    }
  }
  tally.finish();
}

}  // namespace
extern const Check shift;
const Check shift = {"shift", "adding c to every logit, where that is exact, adds c to the result and changes no other bit", false,
                     relation_refusal, run};
}  // namespace plusmax::properties::logsumexp
