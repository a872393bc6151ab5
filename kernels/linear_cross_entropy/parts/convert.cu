// A block a stretch of a row.
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kStretch = 4 * kThreads;

template <class From, class To>
__global__ void __launch_bounds__(kThreads)
    convert_kernel(const __grid_constant__ Matrix from, const __grid_constant__ Matrix to, bool add) {
  const std::int64_t stretches = (to.cols + kStretch - 1) / kStretch, index = block_index();
  const std::int64_t row = index / stretches, begin = index % stretches * kStretch;
  if (row >= to.rows) return;
  const From* source = static_cast<const From*>(from.data);
  To* target = static_cast<To*>(to.data) + row * to.stride;
  for (std::int64_t i = begin + static_cast<int>(threadIdx.x); i < begin + kStretch && i < to.cols; i += kThreads) {
    float value = source == nullptr ? 0.0f : Element<From>::widen(source[row * from.stride + i]);
    if (add) value += Element<To>::widen(target[i]);
    target[i] = Element<To>::narrow(value);
  }
}

}  // namespace

Status launch_convert(const Matrix& from, const Matrix& to, bool add, void* stream) {
  const std::int64_t blocks = to.rows * ((to.cols + kStretch - 1) / kStretch);
  const platform::LaunchConfig config{.grid = grid_of(blocks), .block = dim3(kThreads), .stream = stream};
  return with_float(from.dtype, [&](auto source) {
    return with_float(to.dtype, [&](auto target) {
      return platform::launch(config, convert_kernel<decltype(source), decltype(target)>, from, to, add);
    });
  });
}

}  // namespace plusmax::linear_cross_entropy
