// Catches whatever lets more than x - m into an exponential, a loss made from lse, and a p made from lse.
#include "properties/check.hpp"
#include "properties/grid.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <limits>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr int kOffsets = 3;

// Rows with a maximum, which is at exactly 0. A masked column makes a smoothed loss infinite: there what lies deep is
// raised.
Call settled(const Call& call, const Grid& grid) {
  std::vector<std::int64_t> finite;
  for (std::int64_t r = 0; r < call.rows->rows(); ++r)
    if (finite_row(*call.rows, r)) finite.push_back(r);
  const Call chosen = select(call, finite, call.layout);
  const double floor = call.options.smoothing > 0 ? -grid.depth : -std::numeric_limits<double>::infinity();
  return with_rows(chosen, edited(*chosen.rows, chosen.rows->cols(), [&](std::int64_t r, auto in, auto out) {
                     settle(grid, chosen.rows->exact(r).max, floor, in, out);
                   }));
}

Call shifted(const Call& call, double c) {
  return with_rows(call, edited(*call.rows, call.rows->cols(), [c](std::int64_t, auto in, auto out) {
                     for (std::size_t j = 0; j < in.size(); ++j) out[j] = in[j] + c;
                   }));
}

// All that does not hold the maximum itself.
void compare(const std::string& what, Results got, const Results& want, std::int64_t cols, Tally& tally) {
  got.lse = {};
  for (std::size_t k = 0; k < got.state.bits.size(); k += 2) got.state.bits[k] = want.state.bits[k];
  same_bits(what, got, want, cols, tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Grid grid = grid_of(of.dtype);
  const Random random = random_of(of, "shift");
  Call call = relation_call(of);
  call.options.softcap = call.options.z_loss = 0;
  const Call base = lifted(settled(call, grid));
  if (base.rows->rows() == 0) tally.part_skipped("no row with a finite result");
  const auto given = base.rows->rows() == 0 ? std::nullopt : launched(subject, base, tally);
  for (int k = 0; given && k < kOffsets; ++k) {
    const double c = offset(grid, random, k);
    const auto moved = launched(subject, shifted(base, c), tally);
    if (!moved) continue;
    const std::string what = "shifted by " + std::to_string(c);
    compare(what, moved->results(), given->results(), of.cols, tally);
    for (std::int64_t r = 0; r < moved->rows(); ++r) {
      const Number lse = moved->lse(r);
      if (lse.promised) tally.within(what + ": lse", r, lse.got, lse.want, lse.slack, of.cols);
    }
  }
  tally.finish();
}

}  // namespace
extern const Check shift;
const Check shift = {
    "shift",
    "adding c to every logit, where that is exact, changes no bit of loss, gradient and argmax, and moves lse by c",
    true, relation_refusal, run};
}  // namespace plusmax::properties::cross_entropy
