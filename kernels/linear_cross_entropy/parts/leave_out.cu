// A block a token, and a block a compact row beyond those that are computed.
#include "kernels/cross_entropy/target.cuh"
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/linear_cross_entropy/row_copy.cuh"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr int kThreads = 128;

template <class T>
__device__ __forceinline__ void fill_token(const Params& p, const Workspace& space, std::int64_t token, float value) {
  if (p.dhidden != nullptr)
    fill_row(static_cast<T*>(p.dhidden) + token * p.dhidden_stride, p.features, Element<T>::narrow(value));
  if (threadIdx.x == 0) store_results(p, space, token, {value, value, value, value, value, -1});
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    leave_out_kernel(const __grid_constant__ Params p, const __grid_constant__ cross_entropy::Params call,
                     const __grid_constant__ Workspace space, std::int64_t rows) {
  const std::int64_t index = block_index();
  if (index >= p.tokens) return;
  if (cross_entropy::read_target(call, index).kind == cross_entropy::RowKind::ignored)
    fill_token<T>(p, space, index, 0.0f);
  if (index >= rows && index < *space.valid) fill_token<T>(p, space, space.token[index], NAN);
}

}  // namespace

Status launch_leave_out(const Params& p, const Workspace& space, void* stream) {
  if (p.tokens == 0) return {};
  const platform::LaunchConfig config{.grid = grid_of(p.tokens), .block = dim3(kThreads), .stream = stream};
  return with_float(p.dtype, [&](auto element) {
    return platform::launch(config, leave_out_kernel<decltype(element)>, p, whole_call(p, space), space, p.plan->rows);
  });
}

}  // namespace plusmax::linear_cross_entropy
