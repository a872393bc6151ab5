// Catches an upstream gradient that is no factor of its own token: another token's is taken, the first one's for a
// chunk or for all, the loss is multiplied too.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <cmath>
#include <limits>

namespace plusmax::properties::linear_cross_entropy {
namespace {

void same_losses(const char* what, Results got, const Results& want, const Call& call, Tally& tally) {
  got.dhidden = got.dweight = got.dbias = {};
  same_results(what, got, want, call, tally);
}

void scales(const Subject& subject, const Launched& given, Tally& tally) {
  constexpr double kFactor = -0.75;
  const auto at = launched(subject, with_upstream(given.call(), kFactor), tally);
  if (!at) return;
  same_losses("another upstream gradient", at->results(), given.results(), at->call(), tally);
  const auto counterpart = [](Part part, At place) {
    const bool of_gradient = part == Part::dhidden || part == Part::dweight || part == Part::dbias;
    return Counterpart{place, of_gradient ? kFactor : 1};
  };
  agree_all("upstream times -0.75", *at, given, counterpart, tally);
  const auto none = measure(subject, with_upstream(given.call(), 0), execution_of(subject), tally);
  if (!none) return;
  // Where an intermediate of theirs overflows, 0 times it need not be 0.
  const auto expect_zero = [&](const char* what, Part part, const Output& got, std::int64_t columns) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(got.values.size()); ++i)
      if (given.number(part, {i / columns, i % columns}).promised) tally.within(what, i / columns, got.at(i), 0, 0, 1);
  };
  expect_zero("upstream 0: dhidden", Part::dhidden, none->results.dhidden, given.call().features());
  expect_zero("upstream 0: dweight", Part::dweight, none->results.dweight, given.call().features());
  expect_zero("upstream 0: dbias", Part::dbias, none->results.dbias, 1);
}

// Two numbers in turn: what each token's dX is with its own for all. Of an ignored token it is not even read.
void per_token(const Subject& subject, const Call& call, Tally& tally) {
  constexpr float kValues[] = {3, -0.7f};
  std::optional<Measured> of_all[2];
  for (std::size_t k = 0; k < 2; ++k) {
    Call one = call;
    one.upstream.assign(1, kValues[k]);
    of_all[k] = measure(subject, one, execution_of(subject), tally);
  }
  Call each = call;
  each.upstream.clear();
  for (std::int64_t t = 0; t < call.tokens(); ++t)
    each.upstream.push_back(call.ignores(t) && call.tokens() > 1 ? std::numeric_limits<float>::quiet_NaN()
                                                                 : kValues[t % 2]);
  const auto at = launched(subject, each, tally);
  if (!at || !of_all[0] || !of_all[1]) return;
  for (std::int64_t t = 0; t < call.tokens(); ++t)
    same_token("its own upstream gradient", at->results(), t, of_all[t % 2]->results, t, call, tally);
  at->judge("upstream gradients of each token", tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  const auto given = launched(subject, overwriting(exact->call()), exact, tally);
  if (given) {
    scales(subject, *given, tally);
    per_token(subject, given->call(), tally);
  }
  tally.finish();
}

}  // namespace
extern const Check upstream;
const Check upstream = {
    "upstream", "the upstream gradient multiplies its own token's part of dX, dW and dbias, and nothing else",
    true,       relation_refusal,
    run,        true};
}  // namespace plusmax::properties::linear_cross_entropy
