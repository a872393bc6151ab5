// Catches targets read in another type or from another place, bad ones that become an address or a class, and a class
// that is found in the wrong slice, or in none near an edge.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace plusmax::properties::linear_cross_entropy {
namespace {

using Narrow = std::numeric_limits<std::int32_t>;
using Wide = std::numeric_limits<std::int64_t>;

void stored_otherwise(const Subject& subject, const Call& call, const Results& given, Tally& tally) {
  const bool all_narrow = std::ranges::all_of(
      call.targets, [](std::int64_t target) { return target >= Narrow::min() && target <= Narrow::max(); });
  for (const bool narrow : {false, true})
    for (const std::int64_t stride : {std::int64_t{1}, std::int64_t{4}}) {
      if ((narrow && !all_narrow) || (!narrow && stride == 1)) continue;
      Call other = call;
      other.options.int32_targets = narrow;
      other.options.target_stride = stride;
      const auto at = measure(subject, other, execution_of(subject), tally);
      if (at) same_results(narrow ? "targets of 32 bits" : "targets of 64 bits", at->results, given, call, tally);
    }
}

// No class, each for its own reason; some become one when cut to 32 bits.
std::set<std::int64_t> no_classes(const Call& call) {
  constexpr std::int64_t k32 = std::int64_t{1} << 32;
  const std::int64_t vocab = call.vocab();
  std::set<std::int64_t> all{-1, vocab, vocab + 1, Narrow::min(), Narrow::max()};
  if (!call.options.int32_targets)
    all.insert({k32, k32 + vocab / 2, vocab - 1 - k32, k32 / 2, Wide::min(), Wide::max()});
  std::erase_if(all, [&](std::int64_t t) { return (t >= 0 && t < vocab) || t == call.options.ignore_index; });
  return all;
}

std::int64_t numbers_in(const Output& output, std::int64_t first, std::int64_t count) {
  const auto begin = output.values.begin() + first;
  return std::count_if(begin, begin + count, [](double value) { return !std::isnan(value); });
}

// Every token but one counts towards no gradient of its own class; the one keeps what it had.
void spoiled(const Call& call, const Results& at, const Results& given, std::int64_t kept, Tally& tally) {
  const auto all_nan = [&](const std::string& what, const Output& output, std::int64_t row, std::int64_t columns) {
    if (!output.values.empty())
      tally.same_bits(what + ", numbers that are no NaN", row,
                      static_cast<std::uint64_t>(numbers_in(output, row * columns, columns)), 0, call.vocab());
  };
  std::int64_t bad = 0;
  for (std::int64_t t = 0; t < call.tokens(); ++t) {
    if (!call.is_bad(t)) continue;
    ++bad;
    const std::string what = "target " + std::to_string(call.target(t));
    all_nan(what + ": loss", at.loss, t, 1);
    all_nan(what + ": dhidden", at.dhidden, t, call.features());
  }
  if (bad > 0) {
    for (std::int64_t j = 0; j < call.vocab(); ++j) all_nan("dweight", at.dweight, j, call.features());
    all_nan("dbias", at.dbias, 0, call.vocab());
    all_nan("reduced loss", at.reduced, 0, 1);
  }
  if (at.bad_targets)
    tally.holds("bad_targets", *at.bad_targets == bad, 0, static_cast<double>(*at.bad_targets),
                static_cast<double>(bad), 0, call.vocab());
  same_token("among targets that are no class", at, kept, given, kept, call, tally);
}

void bad_targets(const Subject& subject, const Call& call, const Results& given, Tally& tally) {
  const auto bad = no_classes(call);
  auto next = bad.begin();
  for (std::int64_t kept = 0; kept < call.tokens(); ++kept) {
    if (call.ignores(kept)) continue;
    Call other = call;
    for (std::int64_t t = 0; t < call.tokens(); ++t) {
      if (t == kept || call.ignores(t)) continue;  // what is left out leaves its place
      other.targets[static_cast<std::size_t>(t)] = *next;
      if (++next == bad.end()) next = bad.begin();
    }
    const auto at = measure(subject, other, execution_of(subject), tally);
    if (at) spoiled(other, at->results, given, kept, tally);
  }
}

// The first and the last class, and those beside what slices are made of.
void edges(const Subject& subject, const Call& call, Tally& tally) {
  constexpr std::int64_t kLine = 128;
  std::set<std::int64_t> classes;
  for (const std::int64_t c : {std::int64_t{0}, std::int64_t{1}, kLine - 1, kLine, 2 * kLine - 1, 2 * kLine,
                               call.vocab() - 2, call.vocab() - 1})
    if (c >= 0 && c < call.vocab()) classes.insert(c);
  const std::vector<std::int64_t> targets(classes.begin(), classes.end());
  std::vector<std::int64_t> tokens;
  for (std::size_t k = 0; k < targets.size(); ++k) tokens.push_back(static_cast<std::int64_t>(k) % call.tokens());
  Call other = select(call, tokens);
  other.options.ignore_index = -100;
  other.targets = targets;
  // What an ignored token held is NaN.
  other = with_hidden(other, [](std::int64_t, auto in, auto out) {
    for (std::size_t k = 0; k < in.size(); ++k) out[k] = std::isnan(in[k]) ? static_cast<double>(k % 3) - 1 : in[k];
  });
  const auto at = launched(subject, other, tally);
  if (at) at->judge("targets at the edges", tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = with_own_divisors(overwriting(few_tokens_of(of, subject)->call()));
  const auto given = measure(subject, call, execution_of(subject), tally);
  if (given) {
    stored_otherwise(subject, call, given->results, tally);
    bad_targets(subject, call, given->results, tally);
    edges(subject, call, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check targets;
const Check targets = {
    "targets",
    "a target is its number however it is stored and wherever it stands; one that is no class spoils its own token, dW "
    "and dbias alone",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::linear_cross_entropy
