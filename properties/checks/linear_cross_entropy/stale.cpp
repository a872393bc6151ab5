// Catches gradients that are added where they should replace, or replace where they should be added: the first chunk,
// slice or batch of an accumulated one.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <cmath>
#include <numeric>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// What the harness leaves, zeros, bytes that make NaN of every type.
void replaced(const Subject& subject, const Call& call, Tally& tally) {
  std::optional<Results> first;
  for (const unsigned char before : {0x5A, 0x00, 0xFF}) {
    Execution execution = execution_of(subject);
    execution.result_poison = execution.workspace_fill = before;
    const auto at = measure(subject, call, execution, tally);
    if (!at) return;
    if (first)
      same_results("memory of " + std::to_string(before), at->results, *first, call, tally);
    else
      first = at->results;
  }
}

Call added_to(Call call, std::vector<double> dweight, std::vector<double> dbias) {
  call.options.add_to_dweight = true;
  call.dweight_before = std::move(dweight);
  call.dbias_before = std::move(dbias);
  return call;
}

// got = a + b, element by element.
void sum_of(const char* what, const Launched& got, const std::function<Number(Part, At)>& a,
            const std::function<Number(Part, At)>& b, Tally& tally) {
  const Call& call = got.call();
  for (const Part part : {Part::dweight, Part::dbias})
    for (std::int64_t j = 0; got.has(part) && j < call.vocab(); ++j)
      for (std::int64_t k = 0; k < (part == Part::dbias ? 1 : call.features()); ++k) {
        const Number x = a(part, {j, k}), y = b(part, {j, k});
        const Number sum{x.got + y.got, x.want + y.want,
                         x.slack + y.slack + std::ldexp(std::fabs(x.got) + std::fabs(y.got), -52),
                         x.promised && y.promised};
        compare(what, j, got.number(part, {j, k}), sum, 1, 1, tally);
      }
}

void before_plus_gradient(const Case& of, const Subject& subject, const Launched& alone, Tally& tally) {
  const Call& call = alone.call();
  const Random random = random_of(of, "stale");
  const auto drawn = [&](std::int64_t count, std::uint64_t stream) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(std::rint(32 * random.uniform(static_cast<std::uint64_t>(i), stream)) / 16 -
                       1);  // any type holds it
    return values;
  };
  const Call adding = added_to(call, drawn(call.vocab() * call.features(), 0), drawn(call.vocab(), 1));
  const auto at = launched(subject, adding, tally);
  if (!at) return;
  const auto before = [&](Part part, At place) {
    const auto index =
        static_cast<std::size_t>(part == Part::dbias ? place.row : place.row * call.features() + place.column);
    const double value = part == Part::dbias ? adding.dbias_before[index] : adding.dweight_before[index];
    return Number{value, value, 0, true};
  };
  sum_of(
      "what was there and the gradient", *at, before, [&](Part part, At place) { return alone.number(part, place); },
      tally);
}

// A batch in two calls, the second adding to the first, leaves what one call does.
void in_two_calls(const Subject& subject, const Launched& whole, Tally& tally) {
  const Call call = with_own_divisors(whole.call());
  if (call.tokens() < 2 || call.valid() == 0) return;
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(call.tokens()));
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto half = static_cast<std::ptrdiff_t>(tokens.size() / 2);
  const std::vector<std::int64_t> head(tokens.begin(), tokens.begin() + half),
      tail(tokens.begin() + half, tokens.end());
  const auto all = launched(subject, call, tally), first = launched(subject, select(call, head), tally);
  if (!all || !first) return;
  for (const auto& output : {first->results().dweight, first->results().dbias})
    for (const double value : output.values)
      if (!std::isfinite(value)) return tally.part_skipped("a gradient that is not finite");
  const auto second = launched(
      subject, added_to(select(call, tail), first->results().dweight.values, first->results().dbias.values), tally);
  if (!second) return;
  // What the first call was off by is in the second one's sum.
  sum_of(
      "in two calls", *all, [&](Part part, At place) { return second->number(part, place); },
      [&](Part part, At place) {
        Number error = first->number(part, place);
        error.got = error.want = 0;
        return error;
      },
      tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  const Call call = overwriting(exact->call());
  replaced(subject, call, tally);
  const auto alone = launched(subject, call, exact, tally);
  if (alone && (alone->has(Part::dweight) || alone->has(Part::dbias))) {
    before_plus_gradient(of, subject, *alone, tally);
    in_two_calls(subject, *alone, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check stale;
const Check stale = {
    "stale",
    "what memory held before never matters, unless dW and dbias are added to: then they are that and the gradient",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::linear_cross_entropy
