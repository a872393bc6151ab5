// Catches what depends on where a logit stands: half a row's maximum, one warp's share, a dropped tail.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <algorithm>

namespace plusmax::properties::logsumexp {
namespace {

// Fisher-Yates with counter-based numbers, its own for each row.
void shuffle(const Random& random, std::int64_t row, std::span<double> out) {
  for (std::size_t j = out.size(); j > 1; --j)
    std::swap(out[j - 1], out[random.bits(j, static_cast<std::uint64_t>(row)) % j]);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = relation_rows(of);
  const Random random = random_of(of, "permutation");
  const Layout layout = reshaped(of, rows.rows(), of.cols);
  const auto given = measure(subject, rows, layout, execution_of(subject), tally);
  for (int way = 0; given && way < 3; ++way) {
    const char* what = way == 0 ? "reversed columns" : way == 1 ? "shuffled columns" : "rotated columns";
    const Rows moved = edited(rows, of.cols, [&](std::int64_t r, auto in, auto out) {
      std::copy(in.begin(), in.end(), out.begin());
      if (way == 0) std::reverse(out.begin(), out.end());
      if (way == 1) shuffle(random, r, out);
      if (way == 2) std::rotate(out.begin(), out.begin() + (out.size() + 1) / 2, out.end());
    });
    const auto measured = measure(subject, moved, layout, execution_of(subject), tally);
    if (!measured) continue;
    for (std::int64_t r = 0; r < rows.rows(); ++r) {
      const auto at = static_cast<std::size_t>(r);
      judge(what, moved, r, measured->results.lse[at], measured->shape, tally);
      if (!finite_row(rows, r)) continue;
      const double bound = bound_of(rows, r, given->shape).value + bound_of(moved, r, measured->shape).value;
      tally.within(what, r, measured->results.lse[at], given->results.lse[at], bound, 2 * of.cols);
    }
  }
  tally.part_skipped("no row with a finite result");
  tally.finish();
}

}  // namespace
extern const Check permutation;
const Check permutation = {"permutation", "the order of the columns moves a result by no more than its bound", true, relation_refusal, run};
}  // namespace plusmax::properties::logsumexp
