// The ladder's last step inside a block: warps leave one state each, the first warp merges them in warp order.
#pragma once

#include "kernels/primitives/online.cuh"

namespace plusmax {

constexpr int log2_ceil(long long value) {
  int levels = 0;
  while ((1LL << levels) < value) ++levels;
  return levels;
}

// Additions and rescales of block_merge for a block of `threads`.
constexpr int block_additions(int threads) { return kWarpLevels + log2_ceil(threads / kWarpSize); }
constexpr int block_rescales(int threads) { return threads > kWarpSize ? 2 : 1; }

// Valid in the first warp. `scratch` holds one state per warp and is free again after the block's next barrier.
template <int kThreads, class Accum>
__device__ __forceinline__ MaxSum<Accum> block_merge(MaxSum<Accum> state, MaxSum<Accum>* scratch) {
  state = warp_merge(state);
  if constexpr (kThreads > kWarpSize) {
    if (lane_index() == 0) scratch[warp_index()] = state;
    __syncthreads();  // separates each warp's store from the first warp's reads
    if (warp_index() == 0) {
      state = lane_index() < kThreads / kWarpSize ? scratch[lane_index()] : empty_sum<Accum>();
      state = warp_merge(state);
    }
  }
  return state;
}

}  // namespace plusmax
