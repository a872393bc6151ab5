// Catches class weights that are not factors: of the wrong class or slice, forgotten in a divisor, in the sum of all of
// them.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

Call with_weights(Call call, auto weight) {
  call.class_weights.clear();
  for (std::int64_t c = 0; c < call.vocab(); ++c) call.class_weights.push_back(static_cast<float>(weight(c)));
  return call;
}

// Weights of 1 are none.
void ones(const Subject& subject, Call call, Tally& tally) {
  call.class_weights.clear();
  const auto exact = std::make_shared<const Exact>(call);
  const auto none = launched(subject, exact, execution_of(subject), tally);
  const auto one = launched(subject, with_weights(call, [](std::int64_t) { return 1; }), tally);
  if (none && one) agree_all("weights of 1", *one, *none, tally);
}

// All of them times a power of two: so are the losses; gradients and the mean go along, or not where it divides again.
void scales(const Subject& subject, Call call, Tally& tally) {
  call.options.z_loss = 0;
  const bool divides = call.options.reduction == Reduction::mean && !call.options.normalizer;
  const auto given = launched(subject, call, tally);
  constexpr double kFactor = -8;
  const Call more = with_weights(call, [&](std::int64_t c) {
    return kFactor * static_cast<double>(call.class_weights[static_cast<std::size_t>(c)]);
  });
  const auto at = given ? launched(subject, more, tally) : std::nullopt;
  if (!at) return;
  const auto counterpart = [&](Part part, At place) {
    if (part == Part::lse || part == Part::z_loss) return Counterpart{place};
    return Counterpart{place, part == Part::loss || !divides ? kFactor : 1};
  };
  agree_all("weights times a power of two", *at, *given, counterpart, tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Random random = random_of(of, "weights");
  const Call call = overwriting(few_tokens_of(of, subject)->call());
  ones(subject, call, tally);
  scales(subject,
         with_weights(call, [&](std::int64_t c) { return 0.5 + random.uniform(static_cast<std::uint64_t>(c)); }),
         tally);
  const auto special = [&](const char* what, auto weight) {
    if (const auto at = launched(subject, with_weights(call, weight), tally)) at->judge(what, tally);
  };
  special("weights of 0", [](std::int64_t) { return 0; });
  special("weights of both signs and 0",
          [&](std::int64_t c) { return c % 3 == 0 ? 0 : random.normal(static_cast<std::uint64_t>(c)); });
  tally.finish();
}

}  // namespace
extern const Check weights;
const Check weights = {"weights", "class weights are factors: 1 changes nothing, and all losses and gradients go along",
                       true,      relation_refusal,
                       run,       true};
}  // namespace plusmax::properties::linear_cross_entropy
