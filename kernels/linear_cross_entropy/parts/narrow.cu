// A block a row, tile by tile: where a tile goes, only tiles up to itself have been.
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr int kThreads = 512;
constexpr int kElements = 8;  // of a thread in a tile

template <class T>
__global__ void __launch_bounds__(kThreads) narrow_kernel(const __grid_constant__ Matrix matrix) {
  const std::int64_t row = block_index();
  if (row >= matrix.rows) return;
  const float* from = static_cast<const float*>(matrix.data) + row * matrix.stride;
  T* to = static_cast<T*>(matrix.data) + 2 * row * matrix.stride;
  for (std::int64_t tile = 0; tile < matrix.cols; tile += kThreads * kElements) {
    const std::int64_t mine = tile + static_cast<int>(threadIdx.x);
    float values[kElements];
    PLUSMAX_UNROLL
    for (int i = 0; i < kElements; ++i)
      values[i] = mine + i * kThreads < matrix.cols ? from[mine + i * kThreads] : 0.0f;
    __syncthreads();  // separates the reads of tiles up to this one from the stores over them
    PLUSMAX_UNROLL
    for (int i = 0; i < kElements; ++i)
      if (mine + i * kThreads < matrix.cols) to[mine + i * kThreads] = Element<T>::narrow(values[i]);
  }
}

}  // namespace

Status launch_narrow(const Matrix& matrix, plusmax_dtype dtype, void* stream) {
  const platform::LaunchConfig config{.grid = grid_of(matrix.rows), .block = dim3(kThreads), .stream = stream};
  return dtype == PLUSMAX_F16 ? platform::launch(config, narrow_kernel<__half>, matrix)
                              : platform::launch(config, narrow_kernel<__nv_bfloat16>, matrix);
}

}  // namespace plusmax::linear_cross_entropy
