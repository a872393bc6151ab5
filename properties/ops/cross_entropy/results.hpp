// What a call of cross_entropy left in memory.
#pragma once

#include "kernels/include/plusmax/types.h"
#include "properties/losses/results.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plusmax::properties::cross_entropy {

using losses::Output;

struct Results {
  Output loss, z_loss, lse;  // [rows]
  Output state;              // [rows, 2]: maximum, and the sum without the target's column
  std::vector<std::int64_t> argmax;
  Output reduced;            // [1]
  std::optional<std::int64_t> num_valid, bad_targets;
  plusmax_dtype dtype = PLUSMAX_F32;    // of the gradient
  std::vector<unsigned char> gradient;  // [rows, cols] as stored, without gaps

  std::size_t gradient_rows(std::int64_t cols) const;
  std::span<const unsigned char> gradient_row(std::int64_t row, std::int64_t cols) const;
  void gradient_row(std::int64_t row, std::int64_t cols, std::vector<double>& out) const;
};

}  // namespace plusmax::properties::cross_entropy
