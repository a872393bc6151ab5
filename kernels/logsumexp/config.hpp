// The numbers of the logsumexp variants, each a function of (dtype, cols) alone: a row's bits may not depend on how
// many rows there are. Times behind the choices: docs/kernels/logsumexp.md.
#pragma once

#include "kernels/primitives/dtype.cuh"
#include "kernels/primitives/warp_row.hpp"

#include <cstdint>

namespace plusmax::logsumexp {

// ---- block_per_row ------------------------------------------------------------------------------
// Few threads for short rows, so that each still has a full batch of loads in flight.
constexpr int block_row_threads(plusmax_dtype dtype, std::int64_t cols) {
  const std::int64_t bytes = row_bytes(dtype, cols);
  if (bytes <= 4 * 1024) return 64;
  if (bytes <= 16 * 1024) return 128;
  if (bytes <= 32 * 1024) return 256;
  if (bytes <= 256 * 1024) return 512;
  return 1024;
}

// ---- split_row ----------------------------------------------------------------------------------
// Blocks that share a row. One wave of blocks is best, which a table over cols alone can meet only for the few-row
// shapes it is meant for: 16 rows of 2 MB and 1 row of 32 MB both make 256 blocks.
constexpr int kSplitMax = 256;
constexpr std::int64_t kSplitBytes = 128 * 1024;
constexpr int splits(plusmax_dtype dtype, std::int64_t cols) {
  const std::int64_t bytes = row_bytes(dtype, cols);
  if (bytes <= 4 * 1024) return 2;
  if (bytes <= 64 * 1024) return 4;
  const std::int64_t wanted = bytes / kSplitBytes;
  return wanted < 16 ? 16 : wanted > kSplitMax ? kSplitMax : static_cast<int>(wanted);
}
// Few threads for short rows, so that each still has a full batch of loads in flight.
constexpr int split_row_threads(plusmax_dtype dtype, std::int64_t cols) {
  const std::int64_t bytes = row_bytes(dtype, cols);
  return bytes <= 32 * 1024 ? 64 : bytes <= 64 * 1024 ? 256 : 512;
}

// ---- lane_per_row -------------------------------------------------------------------------------
// A block covers 32 or 64 rows, one or two a lane; its warps take batches of columns in turn.
// H200, 8192 x 32768 f32 transposed, share of the read-only ceiling by warps x batch: 8 x 8 62 %, 16 x 8 88 %, 32 x 8
// 82 %, 16 x 16 95 %: what counts is bytes in flight.
constexpr int kLaneRowWarps = 16;
constexpr int kLaneRowBatch = 16;  // columns loaded before the first is used

// ---- dispatch -----------------------------------------------------------------------------------
// Few rows leave multiprocessors without work (132 on an H200) where a block owns a row. H200, bf16, us, split / block:
// 8 x 128256 5.0 / 7.8, 32 x 128256 7.6 / 8.2, 64 x 128256 11.8 / 8.8; 64 x 262144 13.3 / 14.3, 128 x 262144 21.1
// / 18.2; 16 x 1048576 12.3 / 42.9, 64 x 1048576 35.7 / 45.3, 100 x 1048576 52.6 / 51.1.
constexpr std::int64_t kSplitFromBytes = 128 * 1024;
constexpr std::int64_t split_max_rows(plusmax_dtype dtype, std::int64_t cols) {
  return row_bytes(dtype, cols) < 512 * 1024 ? 32 : 80;
}

}  // namespace plusmax::logsumexp
