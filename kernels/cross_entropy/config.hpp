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
// Nine slots of 8 KB are three blocks on a multiprocessor of an H200, and one slot more than a block's part of 128256
// 16-bit logits in a cluster of four, so that the next row begins to load early. 256 threads, two vectors each, use a
// slot at a time. A prototype's times on an H200 were best with three blocks of 256 threads, and with the smallest
// cluster that holds the row.
constexpr int kRingSlots = 9;
constexpr int kRingBatch = 2;
constexpr int kRingThreads = 256;  // and one warp that loads
constexpr int kRingWarps = kRingThreads / 32;
constexpr int kRingSlotVectors = kRingThreads * kRingBatch;
constexpr int kMaxCluster = 8;  // more is not portable

// Of the cluster, by its rank: whole lines, counted from the one that holds the row's first byte.
constexpr std::int64_t ring_segment(plusmax_dtype dtype, std::int64_t cols, int cluster) {
  const std::int64_t lines = (row_vectors(dtype, cols) + 2 * kLineVectors - 1) / kLineVectors;
  return (lines + cluster - 1) / cluster * kLineVectors;
}
// 2 * kMaxCluster: the row is too long.
constexpr int ring_cluster(plusmax_dtype dtype, std::int64_t cols) {
  int cluster = 1;
  while (cluster <= kMaxCluster && ring_segment(dtype, cols, cluster) > kRingSlots * kRingSlotVectors) cluster *= 2;
  return cluster;
}

// ---- split_row ----------------------------------------------------------------------------------
// Blocks that share a row: 64 KB each, up to 256.
constexpr int kSplitThreads = 512;
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
// Up to here a row in one block's shared memory is as fast as the ring.
constexpr std::int64_t kBlockRowBytes = 64 * 1024;
// Fewer rows leave multiprocessors without work where a row has few blocks.
constexpr std::int64_t kSplitMaxRows = 16;

}  // namespace plusmax::cross_entropy
