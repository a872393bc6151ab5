// What changes nothing but how long a launch takes on a GPU.
#pragma once

#include "kernels/platform/cuda.cuh"

// Before a loop of few rounds: unrolled, its instructions would take longer to fetch than to run.
#if defined(__CUDACC__)
#define PLUSMAX_KEEP_ROLLED _Pragma("unroll 1")
#else
#define PLUSMAX_KEEP_ROLLED
#endif

namespace plusmax::platform {

// Waits for about that long on a GPU, on the host not at all.
__device__ __forceinline__ void sleep([[maybe_unused]] unsigned nanoseconds) {
#if defined(__CUDACC__)
  __nanosleep(nanoseconds);
#endif
}

}  // namespace plusmax::platform
