// A block a compact row. Behind the last one X is 0, so that no product meets what an ignored token holds. With more
// valid tokens than stated every gradient is NaN, by way of the upstream one.
#include "kernels/cross_entropy/target.cuh"
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/linear_cross_entropy/row_copy.cuh"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr int kThreads = 128;

template <class T>
__global__ void __launch_bounds__(kThreads)
    gather_kernel(const __grid_constant__ Params p, const __grid_constant__ cross_entropy::Params call,
                  const __grid_constant__ Workspace space, std::int64_t first, std::int64_t tile, std::int64_t rows) {
  const std::int64_t row = block_index();
  if (row >= tile) return;
  const std::int64_t valid = *space.valid;
  const bool exists = first + row < valid && first + row < rows;
  T* to = static_cast<T*>(space.hidden) + row * space.hidden_stride;
  if (!exists) {
    fill_row(to, p.features, Element<T>::narrow(0));
    if (threadIdx.x == 0) space.targets[row] = p.options.ignore_index;
    return;
  }
  const std::int64_t token = space.token[first + row];
  copy_row(static_cast<const T*>(p.hidden) + token * p.hidden_stride, to, p.features);
  if (threadIdx.x != 0) return;
  space.targets[row] = cross_entropy::target_value(call, token);
  if (valid > rows)
    space.upstream[row] = NAN;
  else
    space.upstream[row] = p.upstream == nullptr ? 1.0f : p.upstream[token * p.upstream_stride];
}

}  // namespace

Status launch_gather(const Params& p, const Workspace& space, std::int64_t first, void* stream) {
  const std::int64_t tile = p.plan->tile_rows;
  const platform::LaunchConfig config{.grid = grid_of(tile), .block = dim3(kThreads), .stream = stream};
  return with_float(p.dtype, [&](auto element) {
    return platform::launch(config, gather_kernel<decltype(element)>, p, whole_call(p, space), space, first, tile,
                            p.plan->rows);
  });
}

}  // namespace plusmax::linear_cross_entropy
