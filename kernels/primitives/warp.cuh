// Warp-wide reductions. All 32 lanes take part and all get the result.
#pragma once

#include "kernels/platform/cuda.cuh"
#include "kernels/primitives/math.cuh"

namespace plusmax {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kWarpLevels = 5;  // log2(kWarpSize): additions that any lane's term passes through in warp_sum

__device__ __forceinline__ int lane_index() { return static_cast<int>(threadIdx.x) & (kWarpSize - 1); }
__device__ __forceinline__ int warp_index() { return static_cast<int>(threadIdx.x) / kWarpSize; }

// One integer reduction instead of five shuffles: floats other than NaN order as sign-folded integers.
__device__ __forceinline__ float warp_maximum(float value) {
  const unsigned bits = __float_as_uint(value);
  const unsigned ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  const unsigned best = __reduce_max_sync(kFullWarp, ordered);
  return __uint_as_float(best & 0x80000000u ? best & 0x7fffffffu : ~best);
}

__device__ __forceinline__ double warp_maximum(double value) {
  PLUSMAX_UNROLL
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
    value = Math<double>::maximum(value, __shfl_xor_sync(kFullWarp, value, offset));
  return value;
}

template <class Accum>
__device__ __forceinline__ Accum warp_sum(Accum value) {
  PLUSMAX_UNROLL
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(kFullWarp, value, offset);
  return value;
}

}  // namespace plusmax
