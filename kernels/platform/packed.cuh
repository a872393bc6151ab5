// Two 16-bit floats in a register.
#pragma once

#include "kernels/platform/cuda.cuh"

namespace plusmax::platform {

// 4 aligned bytes that this launch only reads.
__device__ __forceinline__ unsigned load_word(const void* address) {
#if defined(__CUDACC__)
  return __ldg(static_cast<const unsigned*>(address));
#else
  simt::check_aligned(address, 4);
  unsigned word;
  std::memcpy(&word, address, sizeof word);
  return word;
#endif
}

// Both rounded to nearest, `low` in the lower half.
__device__ __forceinline__ unsigned narrow_pair(float low, float high, __nv_bfloat16) {
#if defined(__CUDACC__)
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return unsigned(__float2bfloat16_rn(low).x) | unsigned(__float2bfloat16_rn(high).x) << 16;
#endif
}
__device__ __forceinline__ unsigned narrow_pair(float low, float high, __half) {
#if defined(__CUDACC__)
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return unsigned(__float2half_rn(low).x) | unsigned(__float2half_rn(high).x) << 16;
#endif
}

// The larger of each half; a NaN only where both are NaN.
__device__ __forceinline__ unsigned max_pair(unsigned a, unsigned b, __nv_bfloat16) {
#if defined(__CUDACC__)
  unsigned larger;
  asm("max.bf16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
  return larger;
#else
  const auto larger = [](unsigned x, unsigned y) {  // both in the upper half
    return !(__uint_as_float(x) < __uint_as_float(y)) && !std::isnan(__uint_as_float(x)) ? x : y;
  };
  return larger(a & 0xffff0000u, b & 0xffff0000u) | larger(a << 16, b << 16) >> 16;
#endif
}

__device__ __forceinline__ unsigned max_pair(unsigned a, unsigned b, __half) {
#if defined(__CUDACC__)
  unsigned larger;
  asm("max.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
  return larger;
#else
  const auto larger = [](unsigned x, unsigned y) {
    const float wide_x = __half2float({static_cast<std::uint16_t>(x)}),
                wide_y = __half2float({static_cast<std::uint16_t>(y)});
    return !(wide_x < wide_y) && !std::isnan(wide_x) ? x : y;
  };
  return larger(a >> 16, b >> 16) << 16 | larger(a & 0xffffu, b & 0xffffu);
#endif
}

}  // namespace plusmax::platform
