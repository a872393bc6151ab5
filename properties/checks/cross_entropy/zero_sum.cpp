// Catches a gradient element that is lost, doubled or written elsewhere: a row of them adds up to what the z-loss
// gives.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::cross_entropy {
namespace {

struct RowSum {
  reference::DoubleDouble value;
  double bound = 0, largest = 0;
  bool promised = true;
};

RowSum sum_of(const Launched& at, std::int64_t r) {
  RowSum sum;
  for (std::int64_t j = 0; sum.promised && j < at.cols(); ++j) {
    const Number element = at.gradient(r, j);
    sum.promised = element.promised;
    sum.value = reference::add(sum.value, {element.got, 0});
    sum.bound += element.slack;
    sum.largest = std::max(sum.largest, std::fabs(element.want));
  }
  return sum;
}

// u s times gamma: of the z-loss p keeps its whole sum, which is 1. Everything else cancels.
double z_loss_part(const Launched& at, std::int64_t r) {
  const Options& o = at.call().options;
  return static_cast<double>(at.call().upstream_at(r)) * o.scale * at.exact_row(r).coefficients.z_loss.hi;
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  Call call = relation_call(of);
  call.options.softcap = 0;  // its slope weighs the columns
  const auto at = launched(subject, lifted(call), tally);
  for (std::int64_t r = 0; at && r < at->rows(); ++r) {
    if (!at->differentiable(r)) continue;
    const RowSum sum = sum_of(*at, r);
    const double want = z_loss_part(*at, r);
    // Each is off by a few 2^-53 of the largest that went into it.
    const double bound = sum.bound + std::ldexp(std::fabs(want) + sum.largest, -50);
    if (!sum.promised || !(bound < sum.largest)) {
      tally.part_skipped("a row whose bounds together hide its largest gradient");
      continue;
    }
    const double error = std::fabs((sum.value.hi - want) + sum.value.lo);
    tally.at_least("distance of the row's sum from its own (both negated)", r, -error, -bound, of.cols);
  }
  tally.part_skipped("no row with a finite gradient");
  tally.finish();
}

}  // namespace
extern const Check zero_sum;
const Check zero_sum = {"zero_sum", "without a cap the gradient of a row adds up to 0, or to what the z-loss gives",
                        false, relation_refusal, run};
}  // namespace plusmax::properties::cross_entropy
