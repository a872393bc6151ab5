// Sums of plain numbers over a block, in a fixed tree.
#pragma once

#include "kernels/primitives/warp.cuh"

namespace plusmax {

template <int kCount>
struct Sums {
  double value[kCount];
};

template <int kCount>
__device__ __forceinline__ Sums<kCount> warp_sums(Sums<kCount> sums) {
  PLUSMAX_UNROLL
  for (int i = 0; i < kCount; ++i) sums.value[i] = warp_sum(sums.value[i]);
  return sums;
}

// Valid in the first warp. `scratch` holds one element per warp.
template <int kThreads, int kCount>
__device__ __forceinline__ Sums<kCount> block_sums(Sums<kCount> sums, Sums<kCount>* scratch) {
  sums = warp_sums(sums);
  if (lane_index() == 0) scratch[warp_index()] = sums;
  __syncthreads();  // separates each warp's store from the first warp's reads
  if (warp_index() == 0) sums = warp_sums(lane_index() < kThreads / kWarpSize ? scratch[lane_index()] : Sums<kCount>{});
  return sums;
}

// part(0) to part(count - 1) over one warp, dealt out in turn; every lane gets the result.
template <int kCount, class Part>
__device__ __forceinline__ Sums<kCount> warp_sums_of(int count, Part&& part) {
  Sums<kCount> sums{};
  for (int index = lane_index(); index < count; index += kWarpSize) {
    const Sums<kCount> each = part(index);
    PLUSMAX_UNROLL
    for (int i = 0; i < kCount; ++i) sums.value[i] += each.value[i];
  }
  return warp_sums(sums);
}

}  // namespace plusmax
