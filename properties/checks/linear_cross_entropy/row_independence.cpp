// Catches tokens that leak into each other: shared scratch, a neighbour in the same chunk, a divisor, a target or an
// upstream gradient of another token.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>
#include <limits>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// All tokens but one hold something else and want something else. Ignored ones stay: they decide which place a token
// has.
Call strangers(const Call& call, std::int64_t keep, double filler, std::int64_t target) {
  Call other = with_hidden(call, [&](std::int64_t t, auto in, auto out) {
    if (t == keep)
      std::ranges::copy(in, out.begin());
    else
      std::ranges::fill(out, filler);
  });
  for (std::int64_t t = 0; t < call.tokens(); ++t) {
    if (t == keep || call.ignores(t)) continue;
    other.targets[static_cast<std::size_t>(t)] = target;
    if (call.upstream.size() > 1) other.upstream[static_cast<std::size_t>(t)] = std::numeric_limits<float>::quiet_NaN();
  }
  return other;
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.rows < 2 ? "needs two tokens" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = with_own_divisors(overwriting(few_tokens_of(of, subject)->call()));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kFillers[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 29952};
  const std::int64_t wanted[] = {0, call.vocab(), call.vocab() - 1};
  const auto given = measure(subject, call, execution_of(subject), tally);
  for (std::int64_t keep = 0; given && keep < call.tokens(); ++keep) {
    const auto turn = static_cast<std::size_t>(keep);
    std::int64_t target = wanted[turn % std::size(wanted)];
    if (target == call.options.ignore_index) target = -1;  // no class either
    const Call other = strangers(call, keep, kFillers[turn % std::size(kFillers)], target);
    const auto at = measure(subject, other, execution_of(subject), tally);
    if (at) same_token("other tokens changed", at->results, keep, given->results, keep, call, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check row_independence;
const Check row_independence = {"row_independence",
                                "no bit of a token's losses and dX depends on what the other tokens hold and want",
                                false,
                                applies,
                                run,
                                true};
}  // namespace plusmax::properties::linear_cross_entropy
