// Catches class weights that are not factors: of the wrong class, forgotten in a divisor, in the sum of all of them.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"
#include "properties/ops/cross_entropy/scaled.hpp"

namespace plusmax::properties::cross_entropy {
namespace {

Call with_weights(Call call, auto weight) {
  call.weights.clear();
  for (std::int64_t c = 0; c < call.rows->cols(); ++c) call.weights.push_back(static_cast<float>(weight(c)));
  return call;
}

// Weights of 1 are none.
void ones(const Subject& subject, const Call& call, Tally& tally) {
  Call without = call;
  without.weights.clear();
  const auto none = launched(subject, without, tally);
  const auto one = launched(subject, with_weights(call, [](std::int64_t) { return 1; }), tally);
  for (std::int64_t r = 0; none && one && r < none->rows(); ++r) {
    agree("weights of 1: loss", r, one->loss(r), none->loss(r), 1, none->cols(), tally);
    if (!none->differentiable(r)) continue;
    for (const std::int64_t j : columns_of(call, r))
      agree("weights of 1: gradient", r, one->gradient(r, j), none->gradient(r, j), 1, 1, tally);
  }
}

// All of them times a power of two: so are the losses; the gradient goes along, or not where a mean divides it again.
void scales(const Subject& subject, Call call, Tally& tally) {
  call.options.z_loss = 0;
  const bool divides = call.options.reduction == Reduction::mean && !call.options.normalizer;
  const auto given = measure(subject, call, execution_of(subject), tally);
  for (const double factor : {8.0, -0.25}) {
    const Call more = with_weights(
        call, [&](std::int64_t c) { return factor * static_cast<double>(call.weights[static_cast<std::size_t>(c)]); });
    const auto at = given ? launched(subject, more, tally) : std::nullopt;
    if (!at) return;
    const std::string what = "weights times " + std::to_string(factor);
    for (std::int64_t r = 0; r < call.rows->rows(); ++r) {
      if (at->loss_promised(r))
        scaled_loss(what, at->results(), given->results, factor, r, call.rows->cols(), tally);
      scaled_gradient(what, at->results(), given->results, divides ? 1 : factor, r, call.rows->cols(), tally);
    }
  }
}

// Zeros, of which a divisor may be made, and numbers of both signs.
void special(const Subject& subject, const Call& call, const Random& random, Tally& tally) {
  const auto judged = [&](const char* what, auto weight) {
    if (const auto at = launched(subject, with_weights(call, weight), tally)) at->judge(what, tally);
  };
  judged("weights of 0", [](std::int64_t) { return 0; });
  judged("every other weight 0", [](std::int64_t c) { return c % 2; });
  judged("weights of both signs", [&](std::int64_t c) { return random.normal(static_cast<std::uint64_t>(c)); });
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Random random = random_of(of, "weights");
  const Call call = lifted(relation_call(of));
  ones(subject, call, tally);
  scales(subject,
         with_weights(call, [&](std::int64_t c) { return 0.5 + random.uniform(static_cast<std::uint64_t>(c)); }),
         tally);
  special(subject, call, random, tally);
  tally.finish();
}

}  // namespace
extern const Check weights;
const Check weights = {"weights", "class weights are factors: 1 changes nothing, powers of two only the exponents",
                       true,      relation_refusal,
                       run,       true};
}  // namespace plusmax::properties::cross_entropy
