// What a call of linear_cross_entropy left in memory.
#pragma once

#include "properties/losses/results.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

// Empty what the call did not ask for.
struct Results {
  losses::Output loss, z_loss, lse;  // [tokens]
  std::vector<std::int64_t> argmax;
  losses::Output reduced;  // [1]
  std::optional<std::int64_t> num_valid, bad_targets, excess_tokens;
  losses::Output dhidden, dweight, dbias;  // [tokens, features], [vocab, features], [vocab]
};

}  // namespace plusmax::properties::linear_cross_entropy
