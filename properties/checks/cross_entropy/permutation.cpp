// Catches what depends on where a logit stands: half a row's maximum, one warp's share, a dropped tail, another
// column's weight, a target's element written where another vector has its place.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>
#include <numeric>

namespace plusmax::properties::cross_entropy {
namespace {

// Fisher-Yates with counter-based numbers.
void shuffle(const Random& random, std::span<std::int64_t> order) {
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.bits(k) % k]);
}

void compare(const char* what, const Launched& moved, const Launched& given, std::span<const std::int64_t> order,
             Tally& tally) {
  for (std::int64_t r = 0; r < given.rows(); ++r) {
    agree(what, r, moved.loss(r), given.loss(r), 1, given.cols(), tally);
    agree(what, r, moved.lse(r), given.lse(r), 1, given.cols(), tally);
    agree(what, r, moved.z_loss(r), given.z_loss(r), 1, given.cols(), tally);
    if (!given.differentiable(r) || !moved.differentiable(r)) continue;
    for (const std::int64_t k : columns_of(moved.call(), r))
      agree("gradient", r, moved.gradient(r, k), given.gradient(r, order[static_cast<std::size_t>(k)]), 1, 1, tally);
  }
  if (!given.results().reduced.values.empty())
    agree("reduced loss", 0, moved.reduced(), given.reduced(), 1, given.cols(), tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = lifted(relation_call(of));
  const Random random = random_of(of, "permutation");
  const auto given = launched(subject, call, tally);
  for (int way = 0; given && way < 3; ++way) {
    const char* what = way == 0 ? "reversed columns" : way == 1 ? "shuffled columns" : "rotated columns";
    std::vector<std::int64_t> order(static_cast<std::size_t>(of.cols));
    std::iota(order.begin(), order.end(), 0);
    if (way == 0) std::reverse(order.begin(), order.end());
    if (way == 1) shuffle(random, order);
    if (way == 2) std::rotate(order.begin(), order.begin() + (of.cols + 1) / 2, order.end());
    const auto moved = launched(subject, rearranged(call, order), tally);
    if (!moved) continue;
    compare(what, *moved, *given, order, tally);
    if (way == 1) moved->judge(what, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check permutation;
const Check permutation = {
    "permutation", "the order of the columns moves no result by more than its bounds, and the gradient goes along",
    true, relation_refusal, run};
}  // namespace plusmax::properties::cross_entropy
