// The numbers of the cross_entropy variants, each a function of (dtype, cols) alone: a row's bits may not depend on how
// many rows there are.
#pragma once

#include "kernels/primitives/dtype.cuh"
#include "kernels/primitives/row.cuh"

#include <cstddef>
#include <cstdint>

namespace plusmax::cross_entropy {

constexpr std::int64_t row_bytes(plusmax_dtype dtype, std::int64_t cols) { return cols * element_size(dtype); }
constexpr std::int64_t row_vectors(plusmax_dtype dtype, std::int64_t cols) {
  return row_bytes(dtype, cols) / kVectorBytes;
}

// ---- warp_per_row -------------------------------------------------------------------------------
// As in logsumexp: the row in at most eight vectors a lane, which is 4096 bytes and the edges.
constexpr int kWarpRowThreads = 256;
constexpr int kWarpRowMaxVectors = 8;
constexpr int warp_row_vectors(plusmax_dtype dtype, std::int64_t cols) {
  int vectors = 1;
  while (vectors < 2 * kWarpRowMaxVectors && vectors * 32 < row_vectors(dtype, cols)) vectors *= 2;
  return vectors;
}

// ---- block_per_row ------------------------------------------------------------------------------
// The row stays in shared memory, one line more for a start in the middle of one. Threads: a full batch of loads each.
constexpr int block_row_threads(plusmax_dtype dtype, std::int64_t cols) {
  return row_bytes(dtype, cols) <= 16 * 1024 ? 128 : 512;
}
constexpr std::size_t kept_bytes(plusmax_dtype dtype, std::int64_t cols) {
  return static_cast<std::size_t>((row_vectors(dtype, cols) + kLineVectors) * kVectorBytes);
}
// Of a block's shared memory, for what is not the row.
constexpr std::size_t kBlockRowStatic = 4 * 1024;

// ---- two_pass -----------------------------------------------------------------------------------
// 1024 threads with more than 32 registers are one block on a multiprocessor: the fewer rows under way, the more of
// each is still in L2 when its gradient is made.
constexpr int two_pass_threads(plusmax_dtype dtype, std::int64_t cols) {
  return row_bytes(dtype, cols) <= 16 * 1024 ? 128 : 1024;
}

}  // namespace plusmax::cross_entropy
