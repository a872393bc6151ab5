// A row that one warp holds in registers.
#pragma once

#include "kernels/primitives/row.cuh"

#include <cstdint>

namespace plusmax {

// Eight rows a block; a row is held in at most eight vectors a lane (32 registers), which is 4096 bytes and the edges.
constexpr int kWarpRowThreads = 256;
constexpr int kWarpRowMaxVectors = 8;
// Vectors a lane holds: the power of two that fits.
constexpr int warp_row_vectors(plusmax_dtype dtype, std::int64_t cols) {
  int vectors = 1;
  while (vectors < 2 * kWarpRowMaxVectors && vectors * 32 < row_vectors(dtype, cols)) vectors *= 2;
  return vectors;
}

}  // namespace plusmax
