// A block a compact row.
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/linear_cross_entropy/row_copy.cuh"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr int kThreads = 128;

template <class T>
__global__ void __launch_bounds__(kThreads)
    scatter_kernel(const __grid_constant__ Params p, const __grid_constant__ Workspace space, std::int64_t first,
                   std::int64_t tile, std::int64_t rows) {
  const std::int64_t row = block_index();
  if (row >= tile || first + row >= rows || first + row >= *space.valid) return;
  const std::int64_t token = space.token[first + row];
  if (p.dhidden != nullptr) {
    T* to = static_cast<T*>(p.dhidden) + token * p.dhidden_stride;
    if (space.dhidden != nullptr)
      narrow_row(space.dhidden + row * line_stride(p.features), to, p.features);
    else
      copy_row(static_cast<const T*>(space.hidden) + row * space.hidden_stride, to, p.features);
  }
  if (threadIdx.x != 0) return;
  const bool reduced = p.loss != nullptr;
  store_results(p, space, token,
                {space.loss_rows[row], space.z_loss[row], space.lse[row], reduced ? space.tile_losses[2 * row] : 0.0f,
                 reduced ? space.tile_losses[2 * row + 1] : 0.0f, p.argmax != nullptr ? space.argmax[row] : -1});
}

}  // namespace

Status launch_scatter(const Params& p, const Workspace& space, std::int64_t first, void* stream) {
  const std::int64_t tile = p.plan->tile_rows;
  const platform::LaunchConfig config{.grid = grid_of(tile), .block = dim3(kThreads), .stream = stream};
  return with_float(p.dtype, [&](auto element) {
    return platform::launch(config, scatter_kernel<decltype(element)>, p, space, first, tile, p.plan->rows);
  });
}

}  // namespace plusmax::linear_cross_entropy
