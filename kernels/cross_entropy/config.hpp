// The numbers of the cross_entropy variants, each a function of (dtype, cols) alone: a row's bits may not depend on how
// many rows there are.
#pragma once

#include "kernels/primitives/dtype.cuh"
#include "kernels/primitives/warp_row.hpp"

#include <cstddef>
#include <cstdint>

namespace plusmax::cross_entropy {

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

// ---- cluster_per_row ----------------------------------------------------------------------------
// Four slots of 16 KB are three blocks on a multiprocessor of an H200. 256 threads use a slot at a time, four vectors
// each: smaller slots give the next row more room, and cost more in barriers than that is worth. Measured on an H200:
// docs/kernels/cross_entropy.md.
constexpr int kRingSlots = 4;
constexpr int kRingBatch = 4;
constexpr int kRingCappedBatch = 2;  // of the sums under a cap, which keeps more of a vector in registers
constexpr int kRingThreads = 256;    // and one warp that loads
constexpr int kRingBlocks = 3;       // on a multiprocessor, of the plainer kernels
constexpr int kRingWarps = kRingThreads / 32;
constexpr int kRingSlotVectors = kRingThreads * kRingBatch;
constexpr std::int64_t kRingVectors = std::int64_t{kRingSlots} * kRingSlotVectors;
constexpr int kMaxCluster = 8;  // more is not portable
// Bytes a nanosecond that an H200 does not quite read: a cluster asks for its first row when those of the clusters in
// front of it have about come. Asked for all at once they come all at once, and memory waits for their sums.
constexpr std::int64_t kRingStartRate = 6000;
constexpr std::int64_t kMaxRingRows = 1 << 30;  // 32 bits number them, and what is dealt out behind the last

// Lines of a row, counted from the one that holds its first byte, if that may be anywhere in it; if it is the line's
// first.
constexpr std::int64_t ring_lines(plusmax_dtype dtype, std::int64_t cols, bool aligned) {
  return (row_vectors(dtype, cols) + (aligned ? 1 : 2) * kLineVectors - 1) / kLineVectors;
}
// Vectors of a row's part: whole lines.
constexpr std::int64_t ring_part(std::int64_t lines, int cluster) {
  return (lines + cluster - 1) / cluster * kLineVectors;
}
// The smallest that holds the row; kMaxCluster also for a row that it holds only if aligned; kMaxCluster + 1: too long.
constexpr int ring_cluster(plusmax_dtype dtype, std::int64_t cols) {
  int cluster = 1;
  while (cluster <= kMaxCluster && ring_part(ring_lines(dtype, cols, false), cluster) > kRingVectors) ++cluster;
  const bool fits_aligned = ring_part(ring_lines(dtype, cols, true), kMaxCluster) <= kRingVectors;
  return cluster > kMaxCluster && fits_aligned ? kMaxCluster : cluster;
}
// Of the cluster, by its rank.
constexpr std::int64_t ring_segment(plusmax_dtype dtype, std::int64_t cols) {
  const std::int64_t part = ring_part(ring_lines(dtype, cols, false), ring_cluster(dtype, cols));
  return part < kRingVectors ? part : kRingVectors;
}
constexpr bool ring_needs_alignment(plusmax_dtype dtype, std::int64_t cols) {
  return ring_part(ring_lines(dtype, cols, false), ring_cluster(dtype, cols)) > kRingVectors;
}

// ---- split_row ----------------------------------------------------------------------------------
// Blocks that share a row: 64 KB each, up to 256. Threads: a full batch of loads each.
constexpr int split_threads(plusmax_dtype dtype, std::int64_t cols) {
  return row_bytes(dtype, cols) <= 32 * 1024 ? 128 : 512;
}
constexpr int kSplitMax = 256;
constexpr std::int64_t kSplitBytes = 64 * 1024;
constexpr int splits(plusmax_dtype dtype, std::int64_t cols) {
  const std::int64_t wanted = row_bytes(dtype, cols) / kSplitBytes;
  return wanted < 2 ? 2 : wanted > kSplitMax ? kSplitMax : static_cast<int>(wanted);
}
// Vectors of a block: whole lines, one more for a start in the middle of one.
constexpr std::int64_t split_segment(plusmax_dtype dtype, std::int64_t cols) {
  const std::int64_t lines = (row_vectors(dtype, cols) + 2 * kLineVectors - 1) / kLineVectors;
  const int count = splits(dtype, cols);
  return (lines + count - 1) / count * kLineVectors;
}

// ---- dispatch -----------------------------------------------------------------------------------
// From here on the ring is faster than a row in one block's shared memory. H200, bf16, us: 16384 x 8192 block 165, ring
// 219; 8192 x 16384 253, 163; 8192 x 32000 372, 281.
constexpr std::int64_t kBlockRowBytes = 16 * 1024;
// Rows too long for the ring: a few are faster split than read twice by a block each. H200, 600000 columns of bf16, us:
// 16 rows split 31, two_pass 64; 64 rows 78, 75.
constexpr std::int64_t kSplitMaxRows = 32;

}  // namespace plusmax::cross_entropy
