// Catches a result off its range altogether: a loss below 0, a gradient of the wrong sign, a probability above 1.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::cross_entropy {
namespace {

// Sums of what is not negative never fall below 0: no bound is needed.
void losses(const Launched& at, std::int64_t r, Tally& tally) {
  const Call& call = at.call();
  const bool weighs_below_0 = std::any_of(call.weights.begin(), call.weights.end(), [](float w) { return w < 0; });
  if (!weighs_below_0) tally.at_least("loss", r, at.results().loss.at(r), 0, at.cols());
  tally.at_least("z-loss", r, at.results().z_loss.at(r), 0, at.cols());
}

// Without smoothing and z-loss: a p_j, with the sign of a = u s w_y / Z, and the other sign at the label.
void gradients(const Launched& at, std::int64_t r, Tally& tally) {
  const Call& call = at.call();
  const double coefficient =
      at.exact_row(r).coefficients.target.hi * call.options.scale * static_cast<double>(call.upstream_at(r));
  const double sign = coefficient < 0 ? -1 : 1;
  for (const std::int64_t j : columns_of(call, r)) {
    const Number element = at.gradient(r, j);
    if (!element.promised) continue;
    const double away = sign * (j == call.target(r) ? -element.got : element.got);
    tally.at_least(j == call.target(r) ? "gradient at the label (negated)" : "gradient away from the label", r, away, 0,
                   at.cols());
    tally.at_least("gradient against its coefficient (both negated)", r, -away,
                   -(std::fabs(coefficient) * (1 + 0x1p-50) + element.slack), at.cols());
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto at = launched(subject, relation_call(of), tally);
  for (std::int64_t r = 0; at && r < at->rows(); ++r) {
    const Number loss = at->loss(r);
    if (!loss.promised || at->exact_row(r).target != reference::TargetClass::counted) continue;
    losses(*at, r, tally);
    const Options& o = at->call().options;
    if (o.smoothing == 0 && o.z_loss == 0 && at->differentiable(r)) gradients(*at, r, tally);
  }
  tally.part_skipped("no row with a finite loss");
  tally.finish();
}

}  // namespace
extern const Check range;
const Check range = {"range",
                     "losses are 0 or more; a gradient has the sign and at most the size of its row's coefficient",
                     false, relation_refusal, run};
}  // namespace plusmax::properties::cross_entropy
