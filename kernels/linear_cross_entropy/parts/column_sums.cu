// A thread a column: chains of kColumnChain rows, in f32, one chain after the other.
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr int kThreads = 128;

template <class T>
__global__ void __launch_bounds__(kThreads)
    column_sums_kernel(const __grid_constant__ Matrix matrix, float* sums, bool add) {
  const std::int64_t column = block_index() * kThreads + static_cast<int>(threadIdx.x);
  if (column >= matrix.cols) return;
  const T* first = static_cast<const T*>(matrix.data) + column;
  float sum = 0;
  for (std::int64_t row = 0; row < matrix.rows; row += kColumnChain) {
    float chain = 0;
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kColumnChain; ++i)
      chain += row + i < matrix.rows ? Element<T>::widen(first[(row + i) * matrix.stride]) : 0.0f;
    sum += chain;
  }
  sums[column] = add ? sums[column] + sum : sum;
}

}  // namespace

Status launch_column_sums(const Matrix& matrix, float* sums, bool add, void* stream) {
  const std::int64_t blocks = (matrix.cols + kThreads - 1) / kThreads;
  const platform::LaunchConfig config{.grid = grid_of(blocks), .block = dim3(kThreads), .stream = stream};
  return with_float(matrix.dtype, [&](auto element) {
    return platform::launch(config, column_sums_kernel<decltype(element)>, matrix, sums, add);
  });
}

}  // namespace plusmax::linear_cross_entropy
