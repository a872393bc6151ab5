// Barriers for some of a block's warps (bar.sync, bar.arrive), for warps with different work. Ids 1 to 15; 0 is
// __syncthreads. `count`: the threads of all warps that come in one turn, to wait or to arrive.
#pragma once

#include "kernels/platform/cuda.cuh"
#if !defined(__CUDACC__)
#include "kernels/platform/host/async.hpp"
#endif

namespace plusmax::platform {

// Waits for the others. All lanes of the warp call it together.
__device__ __forceinline__ void named_sync(unsigned id, unsigned count PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
#else
  simt::named_barrier(id, count, true, file, line);
#endif
}

// Counts without waiting: what the warp did before is visible to those who wait.
__device__ __forceinline__ void named_arrive(unsigned id, unsigned count PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
#else
  simt::named_barrier(id, count, false, file, line);
#endif
}

}  // namespace plusmax::platform
