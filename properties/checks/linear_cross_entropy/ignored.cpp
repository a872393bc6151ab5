// Catches ignored tokens that count: in a mean, in dW and dbias, through what their X holds, under any number; and a
// stated maximum of others that is one too many or too few.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether a token of the scene is ignored: one alone, two together, the last.
constexpr bool kDead[] = {false, true, false, true, true, false, true};

// Nobody else's target is `ignore`.
Call scene_of(const Call& given, std::int64_t ignore, double filler) {
  std::vector<std::int64_t> tokens;
  for (std::size_t k = 0; k < std::size(kDead); ++k) tokens.push_back(static_cast<std::int64_t>(k) % given.tokens());
  Call call = select(given, tokens);
  call.options.ignore_index = ignore;
  for (std::size_t k = 0; k < std::size(kDead); ++k) {
    const std::int64_t t = tokens[k], classes = given.vocab();
    const std::int64_t target = given.ignores(t) || given.is_bad(t) ? t % classes : given.target(t);
    call.targets[k] = kDead[k] ? ignore : target == ignore ? (ignore + 1) % classes : target;
    if (kDead[k] && call.upstream.size() > 1) call.upstream[k] = std::numeric_limits<float>::quiet_NaN();
  }
  return with_hidden(call, [&](std::int64_t t, auto in, auto out) {
    for (std::size_t i = 0; i < in.size(); ++i)
      out[i] = kDead[t] ? filler : std::isnan(in[i]) ? static_cast<double>(i % 3) - 1 : in[i];
  });
}

void expect_zero(const std::string& what, const Call& call, const Results& at, Tally& tally) {
  const auto zero = [&](const char* name, const losses::Output& output, std::int64_t index, std::int64_t token) {
    if (!output.bits.empty())
      tally.same_bits(what + ": " + name, token, output.bits[static_cast<std::size_t>(index)], 0, call.vocab());
  };
  for (std::int64_t t = 0; t < call.tokens(); ++t) {
    if (!call.ignores(t)) continue;
    zero("loss of an ignored token", at.loss, t, t);
    zero("z-loss of an ignored token", at.z_loss, t, t);
    zero("lse of an ignored token", at.lse, t, t);
    if (!at.argmax.empty())
      tally.same_bits(what + ": argmax of an ignored token", t,
                      static_cast<std::uint64_t>(at.argmax[static_cast<std::size_t>(t)]), ~std::uint64_t{0},
                      call.vocab());
    for (std::int64_t k = 0; k < call.features(); ++k)
      zero("dhidden of an ignored token", at.dhidden, t * call.features() + k, t);
  }
}

// Whatever X of ignored tokens holds, and whatever number says that they are: the same bits everywhere.
void any_filler(const Subject& subject, Call given, Tally& tally) {
  const std::int64_t classes = given.vocab();
  given.options.int32_targets = false;
  struct {
    std::int64_t ignore;
    double filler;
  } const scenes[] = {{-100, 0},
                      {classes, std::numeric_limits<double>::quiet_NaN()},
                      {(std::int64_t{1} << 32) + classes / 2, kInfinity}};
  std::optional<Results> first;
  for (const auto& scene : scenes) {
    const Call call = scene_of(given, scene.ignore, scene.filler);
    const auto at = measure(subject, call, execution_of(subject), tally);
    if (!at) return;
    const std::string what =
        "ignored tokens of " + std::to_string(scene.filler) + " by " + std::to_string(scene.ignore);
    expect_zero(what, call, at->results, tally);
    if (first)
      same_results(what, at->results, *first, call, tally);
    else
      first = at->results;
  }
  const Call of_class = scene_of(given, classes - 1, kInfinity);
  const auto at = classes > 1 ? launched(subject, of_class, tally) : std::nullopt;
  if (at) at->judge("the last class is ignored", tally);
}

// Without them, and with as many tokens stated as there are.
void left_out(const Subject& subject, const Call& call, Tally& tally) {
  const auto exact = std::make_shared<const Exact>(call);
  const auto with = launched(subject, exact, execution_of(subject), tally);
  if (!with) return;
  const auto without = launched(subject, without_ignored(call), tally);
  const auto counterpart = [&](Part part, At at) -> std::optional<Counterpart> {
    if (part == Part::dweight || part == Part::dbias || part == Part::reduced) return Counterpart{at};
    if (call.ignores(at.row)) return std::nullopt;
    return Counterpart{At{exact->place(at.row), at.column}};
  };
  if (without) agree_all("without ignored tokens", *with, *without, counterpart, tally);
  for (const std::int64_t stated : {call.valid(), call.valid() + 1}) {
    Call other = call;
    other.options.max_valid_tokens = stated;
    const auto at = launched(subject, other, exact, tally);
    if (!at) continue;
    agree_all("max_valid_tokens " + std::to_string(stated), *at, *with, tally);
    expect_zero("max_valid_tokens stated", other, at->results(), tally);
    at->judge("max_valid_tokens " + std::to_string(stated), tally);
  }
}

// Even where every gradient would be 0.
void too_few_stated(const Subject& subject, Call call, Tally& tally) {
  const std::int64_t valid = call.valid();
  for (const bool weightless : {false, true}) {
    call.options.max_valid_tokens = weightless ? 1 : valid - 1;
    if (weightless) call.class_weights.assign(static_cast<std::size_t>(call.vocab()), 0);
    const auto at = launched(subject, call, tally);
    if (!at) continue;
    const std::string what = "stated " + std::to_string(call.options.max_valid_tokens) + " of " + std::to_string(valid);
    at->judge(what, tally);
    expect_zero(what, call, at->results(), tally);
  }
}

void nothing_left(const Subject& subject, Call call, Tally& tally) {
  call.options.normalizer.reset();
  call.targets.assign(call.targets.size(), call.options.ignore_index);
  call.options.reduction = Reduction::mean;
  const auto at = launched(subject, call, tally);
  if (at) at->judge("every token ignored", tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call given = few_tokens_of(of, subject)->call();
  any_filler(subject, given, tally);
  Call call = scene_of(given, -100, std::numeric_limits<double>::quiet_NaN());
  left_out(subject, call, tally);
  too_few_stated(subject, call, tally);
  nothing_left(subject, call, tally);
  tally.finish();
}

}  // namespace
extern const Check ignored;
const Check ignored = {
    "ignored",
    "an ignored token gives zeros, is never looked at, and leaves nothing in anything else, however many are stated",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::linear_cross_entropy
