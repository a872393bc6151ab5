// Catches label smoothing that is no mixture: eps forgotten in one term, 1 - eps in another, a share over the classes
// of a slice.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::linear_cross_entropy {
namespace {

std::optional<Launched> with_smoothing(const Subject& subject, Call call, double eps, Tally& tally) {
  call.options.smoothing = eps;
  return launched(subject, call, tally);
}

// The middle of two numbers; a sum of doubles is off by less than the product of compare() is.
Number middle(const Number& a, const Number& b) {
  return {(a.got + b.got) / 2, (a.want + b.want) / 2,
          (a.slack + b.slack) / 2 + std::ldexp(std::fabs(a.got) + std::fabs(b.got), -53), a.promised && b.promised};
}

// Where X is 0 and no bias is there every class is as good as the target: smoothing moves no loss.
void equal_logits(const Subject& subject, const Call& given, Tally& tally) {
  Call call = with_hidden(given, [](std::int64_t, auto, auto out) { std::ranges::fill(out, 0.0); });
  call.bias.clear();
  call.class_weights.clear();
  const auto without = with_smoothing(subject, call, 0, tally), with = with_smoothing(subject, call, 0.375, tally);
  for (std::int64_t t = 0; without && with && t < call.tokens(); ++t)
    compare("equal logits: loss", t, with->loss(t), without->loss(t), 1, call.vocab(), tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = overwriting(few_tokens_of(of, subject)->call());
  const auto none = with_smoothing(subject, call, 0, tally), half = with_smoothing(subject, call, 0.25, tally),
             whole = with_smoothing(subject, call, 0.5, tally);
  const auto all = [&](const char* what, Part part, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t r = 0; half->has(part) && r < rows; ++r)
      for (std::int64_t k = 0; k < columns; ++k)
        compare(what, r, half->number(part, {r, k}), middle(none->number(part, {r, k}), whole->number(part, {r, k})), 1,
                part == Part::loss ? call.vocab() : 1, tally);
  };
  if (none && half && whole) {
    all("loss with half the smoothing", Part::loss, call.tokens(), 1);
    all("dhidden with half the smoothing", Part::dhidden, call.tokens(), call.features());
    all("dweight with half the smoothing", Part::dweight, call.vocab(), call.features());
    all("dbias with half the smoothing", Part::dbias, call.vocab(), 1);
  }
  equal_logits(subject, call, tally);
  tally.finish();
}

}  // namespace
extern const Check smoothing;
const Check smoothing = {
    "smoothing",
    "losses and gradients of X, W and bias lie on a line over eps, which begins where there is no smoothing",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::linear_cross_entropy
