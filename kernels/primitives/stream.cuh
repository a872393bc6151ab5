// One pass over a stretch of a row by a whole block: each thread keeps a running pair over its batches of vectors.
#pragma once

#include "kernels/primitives/online.cuh"
#include "kernels/primitives/row.cuh"

namespace plusmax {

// Vectors that a thread loads before it uses the first: enough loads in flight, and one maximum per 16 to 32 logits.
// Measured on an H200: docs/kernels/logsumexp.md.
constexpr int kBatchVectors = 4;

// Vectors [from, to) of a row, numbered as in `span`; `from` is a multiple of kLineVectors. What lies outside the row
// counts as -inf and is not read.
template <class T, int kThreads>
__device__ __forceinline__ MaxSum<AccumOf<T>> stream_vectors(const RowSpan<T>& span, std::int64_t from,
                                                             std::int64_t to) {
  constexpr int kTile = kThreads * kBatchVectors;
  const std::int64_t begin = span.begin > from ? span.begin : from;
  const std::int64_t end = span.end < to ? span.end : to;
  MaxSum<AccumOf<T>> state = empty_sum<AccumOf<T>>();
  for (std::int64_t tile = from; tile < end; tile += kTile) {
    const std::int64_t mine = tile + static_cast<int>(threadIdx.x);
    Vector<T> batch[kBatchVectors];
    if (tile >= begin && tile + kTile <= end) {
      PLUSMAX_UNROLL
      for (int i = 0; i < kBatchVectors; ++i) batch[i] = load_vector<T>(span.vector(mine + i * kThreads));
    } else {
      PLUSMAX_UNROLL
      for (int i = 0; i < kBatchVectors; ++i) {
        const std::int64_t index = mine + i * kThreads;
        batch[i] = index >= begin && index < end ? load_vector<T>(span.vector(index)) : negative_infinity_vector<T>();
      }
    }
    absorb(state, batch);
  }
  return state;
}

// Batches of stream_vectors over `vectors` vectors, wherever in its line the row begins.
constexpr std::int64_t stream_batches(std::int64_t vectors, int threads) {
  const std::int64_t tile = std::int64_t{threads} * kBatchVectors;
  return (vectors + kLineVectors + tile - 1) / tile;
}

}  // namespace plusmax
