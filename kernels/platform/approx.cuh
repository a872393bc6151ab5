// The machine's approximate functions, each one instruction of a GPU. What is known of their errors:
// docs/kernels/functions.md.
#pragma once

#include "kernels/platform/cuda.cuh"

namespace plusmax::platform {

// 2^x, subnormals flushed to zero. CUDA documents 2 ulp from the correctly rounded result.
__device__ __forceinline__ float ex2(float x) {
#if defined(__CUDACC__)
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return simt::ex2_approx(x);
#endif
}

// log2(x), subnormals flushed to zero. The PTX ISA documents 2^-22, absolute in (0.5, 2) and relative elsewhere.
__device__ __forceinline__ float lg2(float x) {
#if defined(__CUDACC__)
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return simt::lg2_approx(x);
#endif
}

// 1 / x, subnormals flushed to zero. The PTX ISA documents 1 ulp.
__device__ __forceinline__ float reciprocal(float x) {
#if defined(__CUDACC__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return simt::rcp_approx(x);
#endif
}

}  // namespace plusmax::platform
