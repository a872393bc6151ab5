// Grids of more blocks than one dimension holds.
#pragma once

#include "kernels/platform/cuda.cuh"

#include <cstdint>

namespace plusmax {

// At least `blocks` blocks over x and y; a block whose block_index() is past the end has nothing to do.
inline dim3 grid_of(std::int64_t blocks) {
  constexpr std::int64_t kMaxX = 2147483647;  // CUDA's limit for x; y takes 65535
  const std::int64_t x = blocks < kMaxX ? blocks : kMaxX;
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>((blocks + x - 1) / x));
}

__device__ __forceinline__ std::int64_t block_index() {
  return static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
}

}  // namespace plusmax
