// Catches a mode that computes something else: sums over slices that lose one, a second pass over other logits, losses
// that differ once there is no gradient.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

// With the gradients that the other mode has.
Call call_for(const Subject& other, const Call& call) {
  if (refusal(other, call).empty()) return call;
  Call without = overwriting(call);
  without.options.gradients = 0;
  return call.options.gradients ? without : with_all_outputs(call, other);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  const auto given = launched(subject, exact, execution_of(subject), tally);
  for (Subject& other : subjects_of(*subject.module, subject.op, "")) {
    if (!given || other.variant == subject.variant) continue;
    other.schedule = subject.schedule;
    other.approx_noise = subject.approx_noise;
    const auto at = launched(other, call_for(other, exact->call()), exact, tally);
    if (at) agree_all("against " + other.variant, *given, *at, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check modes_agree;
const Check modes_agree = {"modes_agree",
                           "chunks of tokens, slices of the vocabulary and losses alone give the same numbers within "
                           "their bounds",
                           true, relation_refusal, run};
}  // namespace plusmax::properties::linear_cross_entropy
