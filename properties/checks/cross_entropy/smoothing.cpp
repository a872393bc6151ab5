// Catches label smoothing that is no mixture: eps forgotten in one term, 1 - eps in another, a share over V - 1
// classes.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::properties::cross_entropy {
namespace {

std::optional<Launched> with_smoothing(const Subject& subject, Call call, double eps, Tally& tally) {
  call.options.smoothing = eps;
  return launched(subject, call, tally);
}

// The middle of two numbers; a sum of doubles is off by less than the product of agree() is.
Number middle(const Number& a, const Number& b) {
  return {(a.got + b.got) / 2, (a.want + b.want) / 2,
          (a.slack + b.slack) / 2 + std::ldexp(std::fabs(a.got) + std::fabs(b.got), -53), a.promised && b.promised};
}

// `each` gives one number of a launch, the same of any.
template <class Each>
void for_all(const Launched& shape, std::int64_t r, Each each) {
  each(
      "loss", [r](const Launched& at) { return at.loss(r); }, shape.cols());
  if (!shape.differentiable(r)) return;
  for (const std::int64_t j : columns_of(shape.call(), r))
    each(
        "gradient", [r, j](const Launched& at) { return at.gradient(r, j); }, std::int64_t{1});
}

// Of equal logits every class is as good as the target: smoothing moves no loss.
void equal_logits(const Subject& subject, const Call& given, Tally& tally) {
  Call call = with_rows(given, edited(*given.rows, given.rows->cols(),
                                      [](std::int64_t, auto, auto out) { std::fill(out.begin(), out.end(), 1.5); }));
  call.weights.clear();
  const auto without = with_smoothing(subject, call, 0, tally), with = with_smoothing(subject, call, 0.375, tally);
  for (std::int64_t r = 0; without && with && r < call.rows->rows(); ++r)
    agree("equal logits: loss", r, with->loss(r), without->loss(r), 1, call.rows->cols(), tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = lifted(relation_call(of));
  const auto none = with_smoothing(subject, call, 0, tally), half = with_smoothing(subject, call, 0.25, tally),
             whole = with_smoothing(subject, call, 0.5, tally),
             least = with_smoothing(subject, call, std::numeric_limits<float>::min(), tally);
  for (std::int64_t r = 0; none && half && whole && least && r < none->rows(); ++r) {
    for_all(*half, r, [&](const char* what, auto of_launch, std::int64_t logits) {
      agree(std::string(what) + " with half the smoothing", r, of_launch(*half),
            middle(of_launch(*none), of_launch(*whole)), 1, logits, tally);
    });
    for_all(*none, r, [&](const char* what, auto of_launch, std::int64_t logits) {
      Number tiny = of_launch(*least);
      tiny.slack += std::fabs(tiny.want - of_launch(*none).want);
      agree(std::string(what) + " with hardly any smoothing", r, tiny, of_launch(*none), 1, logits, tally);
    });
  }
  equal_logits(subject, call, tally);
  tally.finish();
}

}  // namespace
extern const Check smoothing;
const Check smoothing = {
    "smoothing", "losses and gradients lie on a line over eps, which begins where there is no smoothing",
    true,        relation_refusal,
    run,         true};
}  // namespace plusmax::properties::cross_entropy
