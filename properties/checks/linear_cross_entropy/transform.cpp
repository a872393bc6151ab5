// Catches features that are lost, doubled, or taken of another place in X than in W, dX or dW: a change of coordinates
// changes no logit, and gradients go along.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// Products keep every bit, so logits do, and losses.
void same_losses(const char* what, Results got, const Results& want, const Call& call, Tally& tally) {
  got.dhidden = got.dweight = {};
  same_results(what, got, want, call, tally);
}

bool negated(std::int64_t feature) { return feature % 3 == 1; }

void signs(const Subject& subject, const Launched& given, Tally& tally) {
  const RowEdit flip = [](std::int64_t, auto in, auto out) {
    for (std::size_t k = 0; k < in.size(); ++k) out[k] = negated(static_cast<std::int64_t>(k)) ? -in[k] : in[k];
  };
  const auto at = launched(subject, with_weight(with_hidden(given.call(), flip), flip), tally);
  if (!at) return;
  same_losses("negated features", at->results(), given.results(), at->call(), tally);
  const auto counterpart = [](Part part, At place) {
    const bool of_feature = part == Part::dhidden || part == Part::dweight;
    return Counterpart{place, of_feature && negated(place.column) ? -1.0 : 1.0};
  };
  agree_all("negated features", *at, given, counterpart, tally);
}

void powers(const Subject& subject, const Launched& given, Tally& tally) {
  constexpr int kPower = 2;
  if (!scalable(given.call(), kPower)) return;
  const char* what = "X times a power of two, W divided by it";
  const auto at = launched(subject, scaled(given.call(), kPower), tally);
  if (!at) return;
  same_losses(what, at->results(), given.results(), at->call(), tally);
  const auto counterpart = [](Part part, At place) {
    const int power = part == Part::dhidden ? -kPower : part == Part::dweight ? kPower : 0;
    return Counterpart{place, std::ldexp(1, power)};
  };
  agree_all(what, *at, given, counterpart, tally);
}

void order(const Case& of, const Subject& subject, const Launched& given, Tally& tally) {
  const Order shuffled = orders_of(given.call().features(), random_of(of, "transform"))[1];
  const auto at = launched(subject, rearranged_features(given.call(), shuffled.places), tally);
  if (!at) return;
  const auto counterpart = [&](Part part, At place) {
    const bool of_feature = part == Part::dhidden || part == Part::dweight;
    return Counterpart{of_feature ? At{place.row, shuffled.places[static_cast<std::size_t>(place.column)]} : place};
  };
  agree_all("shuffled features", *at, given, counterpart, tally);
}

constexpr std::int64_t kBlock = 4;           // of a Hadamard matrix H, H H^T = 4
constexpr double kGrid = 0.125, kReach = 2;  // 4 numbers of 6 bits add up to one of 8, which every type holds

double sign(std::int64_t row, std::int64_t column) { return (row & column) % 3 == 0 ? 1 : -1; }

// Rows times H, block by block, times `factor`; features behind the last whole block stay.
RowEdit rotated(double factor) {
  return [factor](std::int64_t, std::span<const double> in, std::span<double> out) {
    std::ranges::copy(in, out.begin());
    for (std::size_t k = 0; k < in.size() / kBlock * kBlock; ++k) {
      out[k] = 0;
      for (std::size_t i = 0; i < kBlock; ++i)
        out[k] += factor * sign(static_cast<std::int64_t>(i), static_cast<std::int64_t>(k % kBlock)) *
                  in[k / kBlock * kBlock + i];
    }
  };
}

Number turned(const Launched& at, Part part, At place, double factor) {
  if (place.column >= at.call().features() / kBlock * kBlock) return at.number(part, place);
  Number sum{0, 0, 0, true};
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const Number each = at.number(part, {place.row, place.column / kBlock * kBlock + i});
    sum.got += factor * sign(i, place.column % kBlock) * each.got;
    sum.slack += std::fabs(factor) * each.slack + std::ldexp(std::fabs(each.got), -50);
    sum.promised = sum.promised && each.promised;
  }
  return sum;
}

// X' = X H and W' = W H / 4, exact on a coarse grid: then dX' = dX H / 4 and dW' = dW H.
void rotation(const Subject& subject, const Call& call, Tally& tally) {
  const RowEdit coarse = [](std::int64_t, auto in, auto out) {
    for (std::size_t k = 0; k < in.size(); ++k)
      out[k] = std::isnan(in[k]) ? in[k] : std::clamp(std::rint(in[k] / kGrid) * kGrid, -kReach, kReach);
  };
  const Call base = with_weight(with_hidden(call, coarse), coarse);
  const auto given = launched(subject, base, tally);
  const auto at = launched(subject, with_weight(with_hidden(base, rotated(1)), rotated(1.0 / kBlock)), tally);
  if (!given || !at) return;
  agree_all(
      "rotated features", *at, *given,
      [](Part part, At place) {
        return part == Part::dhidden || part == Part::dweight ? std::nullopt : std::optional(Counterpart{place});
      },
      tally);
  for (const Part part : {Part::dhidden, Part::dweight})
    for (std::int64_t r = 0; at->has(part) && r < (part == Part::dhidden ? call.tokens() : call.vocab()); ++r)
      for (std::int64_t k = 0; k < call.features(); ++k)
        compare(part == Part::dhidden ? "rotated features: dhidden" : "rotated features: dweight", r,
                at->number(part, {r, k}), turned(*given, part, {r, k}, part == Part::dhidden ? 1.0 / kBlock : 1), 1, 1,
                tally);
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return options_of(of).features < 2 ? "needs two features" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  const auto given = launched(subject, overwriting(exact->call()), exact, tally);
  if (given) {
    signs(subject, *given, tally);
    powers(subject, *given, tally);
    order(of, subject, *given, tally);
    rotation(subject, given->call(), tally);
  }
  tally.finish();
}

}  // namespace
extern const Check transform;
const Check transform = {
    "transform",
    "an exact orthogonal transform of the features, or an exact scale of X against W, leaves the losses and transforms "
    "dX and dW",
    true, applies, run};
}  // namespace plusmax::properties::linear_cross_entropy
