// Catches a backward that needs more than the saved sums: lse in their place, targets or divisors of its own.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>

namespace plusmax::properties::cross_entropy {
namespace {

// The variant itself, or the first of its module that makes a gradient from saved sums.
std::optional<Subject> backward_of(const Subject& forward, const Call& call) {
  if (backward_refusal(forward, call).empty()) return forward;
  for (Subject& other : subjects_of(*forward.module, forward.op, ""))
    if (other.has(call.rows->dtype()) && backward_refusal(other, call).empty()) {
      other.schedule = forward.schedule;
      other.approx_noise = forward.approx_noise;
      return other;
    }
  return std::nullopt;
}

void from_state(const Subject& subject, const Call& call, Tally& tally) {
  const auto whole = measure(subject, call, execution_of(subject), tally);
  if (!whole) return;
  const auto second = backward_of(subject, call);
  if (!second) return tally.part_skipped("no variant makes a gradient from saved sums");
  auto made = measure_backward(*second, call, whole->results.state, execution_of(subject), tally);
  if (!made) return;
  if (second->variant == subject.variant)
    same_bits("from saved sums", made->results, whole->results, call.rows->cols(), tally);
  // The sums are as good as the forward's, the steps behind them as many as the backward has.
  const double steps = made->shape.gradient_roundings;
  made->shape = whole->shape;
  made->shape.gradient_roundings = std::max(steps, whole->shape.gradient_roundings);
  Launched(call, std::move(*made)).judge("from the sums of " + subject.variant, tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  Call call = lifted(relation_call(of));
  for (const auto gradient : {Gradient::out_of_place, Gradient::in_place}) {
    call.options.gradient = gradient;
    from_state(subject, call, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check backward;
const Check backward = {
    "backward", "the gradient made from saved sums is that of one call, bit for bit where one variant makes both",
    true,       relation_refusal,
    run,        true};
}  // namespace plusmax::properties::cross_entropy
