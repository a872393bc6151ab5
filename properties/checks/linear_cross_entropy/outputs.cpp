// Catches results that depend on what else is asked for: another path without a gradient, a maximum found only with
// argmax, dX that takes the place of X before dW is made from it.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

Call with_gradients(Call call, unsigned gradients) {
  call.options.gradients &= gradients;
  if (!(call.options.gradients & kDweight)) call.dweight_before.clear();
  if (!(call.options.gradients & kDbias)) call.dbias_before.clear();
  return call;
}

// A plan does not know them.
void same_plan(const Subject& subject, const Launched& whole, Tally& tally) {
  constexpr unsigned kPlanned = kArgmax;
  for (const unsigned outputs : {0u, kLoss | kZLoss, kLse | kBadTargets}) {
    Call call = whole.call();
    call.options.outputs &= outputs | kPlanned;
    const auto at = measure(subject, call, execution_of(subject), tally);
    if (at) same_results("outputs " + std::to_string(call.options.outputs), at->results, whole.results(), call, tally);
  }
}

// A plan is made for these.
void other_plans(const Subject& subject, const Launched& whole, Tally& tally) {
  const auto expect_near = [&](const std::string& what, const Call& call) {
    const auto at = launched(subject, call, whole.shared(), tally);
    if (at) agree_all(what, *at, whole, tally);
  };
  for (const unsigned gradients : {0u, unsigned{kDhidden}, unsigned{kDweight}, unsigned{kDbias}})
    if (const Call call = with_gradients(whole.call(), gradients);
        call.options.gradients != whole.call().options.gradients)
      expect_near("gradients " + std::to_string(call.options.gradients), call);
  Call call = whole.call();
  call.options.outputs &= ~unsigned{kArgmax};
  expect_near("without argmax", call);
  // What divides nothing changes nothing else.
  call = whole.call();
  if (call.options.reduction == Reduction::mean) return;
  call.options.reduction = call.options.reduction == Reduction::sum ? Reduction::none : Reduction::sum;
  expect_near("with and without a sum", call);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto whole = launched(subject, few_tokens_of(of, subject), execution_of(subject), tally);
  if (whole) {
    same_plan(subject, *whole, tally);
    other_plans(subject, *whole, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check outputs;
const Check outputs = {"outputs",
                       "no bit of a result depends on which others are asked for where the plan is the same, and no "
                       "number where it is not",
                       true,
                       relation_refusal,
                       run,
                       true};
}  // namespace plusmax::properties::linear_cross_entropy
