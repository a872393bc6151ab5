// Catches logits that are not X W^T and bias alone: a chunk's logits left from before, a bias added twice or not at
// all, a dW that does not come from X.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// X is 0, ignored tokens included, and W is finite; every target is a class, so that no gradient is NaN.
Call zeros(const Call& given) {
  Call call = with_hidden(overwriting(given), [](std::int64_t, auto, auto out) { std::ranges::fill(out, 0.0); });
  call = with_weight(call, [](std::int64_t, auto in, auto out) {
    std::ranges::transform(in, out.begin(), [](double w) { return std::isnan(w) ? 1 : w; });
  });
  for (std::int64_t t = 0; t < call.tokens(); ++t)
    if (call.is_bad(t))
      call.targets[static_cast<std::size_t>(t)] = call.options.ignore_index == 0 ? call.vocab() - 1 : 0;
  return call;
}

// Weights and z-loss aside: without a bias every class is as likely as any other, smoothed or not.
void equal_classes(const Subject& subject, Call call, Tally& tally) {
  call.bias.clear();
  call.class_weights.clear();
  call.options.z_loss = 0;
  const auto at = launched(subject, call, tally);
  const double want = std::log(static_cast<double>(call.vocab()));
  for (std::int64_t t = 0; at && t < call.tokens(); ++t) {
    if (call.ignores(t)) continue;
    const Number loss = at->loss(t);
    tally.within("loss of equal logits", t, loss.got, want, loss.slack + std::ldexp(want, -52), call.vocab());
  }
}

void no_dweight(const char* what, const Results& at, const Call& call, Tally& tally) {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(at.dweight.values.size()); ++i)
    tally.within(what, i / call.features(), at.dweight.at(i), 0, 0, 1);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  Call call = zeros(exact->call());
  const auto given = launched(subject, call, tally);
  if (given) {
    given->judge("X = 0", tally);
    // An infinite gradient of a logit makes NaN of a 0.
    call.upstream.clear();
    if (const auto plain = measure(subject, call, execution_of(subject), tally))
      no_dweight("dweight of X = 0", plain->results, call, tally);
    // What W is matters to dX alone.
    Call other = with_weight(given->call(), [](std::int64_t r, auto, auto out) {
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = static_cast<double>(static_cast<std::size_t>(r) % 5 + k % 3) - 2;
    });
    if (auto at = measure(subject, other, execution_of(subject), tally)) {
      at->results.dhidden = {};
      at->results.dweight = {};
      same_results("another W", at->results, given->results(), call, tally);
    }
  }
  equal_classes(subject, call, tally);
  tally.finish();
}

}  // namespace
extern const Check zero_hidden;
const Check zero_hidden = {
    "zero_hidden", "where X is 0 the loss is that of the bias alone, ln V without one, whatever W is, and dW is 0",
    true,          relation_refusal,
    run,           true};
}  // namespace plusmax::properties::linear_cross_entropy
