// Calls made from calls, for checks that compare two.
#pragma once

#include "properties/ops/linear_cross_entropy/launch.hpp"
#include "properties/relation.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

// Why a relation does not apply: refused by the variant, no logits, or more than it holds. Empty if it does.
std::string relation_refusal(const Case&, const Subject&);

// Every output, and the gradients that the variant has (it refuses some: loss_only has none).
Call with_all_outputs(Call, const Subject&);
// A mean that is divided by given numbers, so that no token depends on the others.
Call with_own_divisors(Call);
Call with_upstream(Call, double factor);  // of every token
Call with_chunk(Call, std::int64_t chunk);

// Orders of `count` things: reversed, shuffled, rotated by a half. Place k holds what was at places[k].
struct Order {
  const char* name;
  std::vector<std::int64_t> places;
};
std::vector<Order> orders_of(std::int64_t count, const Random&);

// Tokens of a call, in the order given: X, targets, upstream gradients. max_valid_tokens becomes all.
Call select(const Call&, std::span<const std::int64_t> tokens);
Call without_ignored(const Call&);
// X or W rewritten, row by row; of another number of features both must be.
using RowEdit = std::function<void(std::int64_t row, std::span<const double> in, std::span<double> out)>;
Call with_hidden(Call, const RowEdit&);
Call with_weight(Call, const RowEdit&);
// Class j is what class order[j] was: W, bias, class weights, targets, what dW and dbias are added to.
Call rearranged_classes(const Call&, std::span<const std::int64_t> order);
// Feature k is what feature order[k] was, of X and of W: no logit changes but for the order of its sum.
Call rearranged_features(const Call&, std::span<const std::int64_t> order);
// X times 2^power and W times 2^-power: no logit changes; dX is divided by 2^power and dW multiplied by it. Where
// nothing underflows or overflows; `scalable` says so.
Call scaled(const Call&, int power);
bool scalable(const Call&, int power);

// Whether the number can be a target at all: 32 bits may be too few.
bool holds_target(const Call&, std::int64_t target);

}  // namespace plusmax::properties::linear_cross_entropy
