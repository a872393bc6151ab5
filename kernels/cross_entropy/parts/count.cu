// Counts before the rows: what means divide by, and the sum of the class weights. A block a slice; sums in f64, in a
// fixed order. Also zeroes what the launches behind it count with. Programmatic, and so are the rows behind it, which
// wait for the counts only where they need them.
#include "kernels/cross_entropy/parts.hpp"
#include "kernels/cross_entropy/target.cuh"
#include "kernels/cross_entropy/workspace.cuh"
#include "kernels/platform/latency.cuh"
#include "kernels/platform/launch.hpp"

namespace plusmax::cross_entropy {
namespace {

constexpr int kBatch = 16;  // targets that a thread loads before it looks at the first
// Blocks that a multiprocessor has registers for: each leaves room for a block of rows beside it.
constexpr int kResident = 2;

// The targets of rows `first`, first + step, ...
__device__ __forceinline__ void count_targets(const Params& p, std::int64_t first, std::int64_t step, std::int64_t end,
                                              Sums<4>& sums) {
  std::int64_t value[kBatch] = {};
  PLUSMAX_UNROLL
  for (int i = 0; i < kBatch; ++i)
    if (first + i * step < end) value[i] = target_value(p, first + i * step);
  PLUSMAX_UNROLL
  for (int i = 0; i < kBatch; ++i) {
    if (first + i * step >= end) break;
    const Target target = target_of(p, value[i]);
    if (target.kind == RowKind::counted)
      sums.value[0] += static_cast<double>(p.weights == nullptr ? 1.0f : p.weights[target.column]);
    sums.value[1] += target.kind == RowKind::ignored ? 0 : 1;
    sums.value[2] += target.kind == RowKind::bad ? 1 : 0;
  }
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads, kResident) count_kernel(const __grid_constant__ Params p, void* workspace) {
  PLUSMAX_SHARED(Sums<4>, scratch, kThreads / kWarpSize);
  platform::grid_dependency_wait();  // the stream up to here is complete: the workspace is ours, the logits are written
  // Only now may the rows start to read them. One block is hardly in their way; several, one here and one there, break
  // up the room that clusters need, and whole clusters never come to run: those let the rows start when they are about
  // to end.
  if (gridDim.x == 1) platform::grid_dependency_trigger();
  const Workspace space = layout(p, workspace);
  const std::int64_t length = slice_length(counted_items(p)), from = blockIdx.x * length;
  const auto until = [&](std::int64_t end) { return from + length < end ? from + length : end; };
  Sums<4> sums{};
  PLUSMAX_KEEP_ROLLED
  for (std::int64_t row = from + threadIdx.x; row < until(p.rows); row += kBatch * kThreads)
    count_targets(p, row, kThreads, until(p.rows), sums);
  if (sums_weights(p)) {
    PLUSMAX_KEEP_ROLLED
    for (std::int64_t column = from + threadIdx.x; column < until(p.cols); column += kThreads)
      sums.value[3] += static_cast<double>(p.weights[column]);
  }
  if (gridDim.x > 1) platform::grid_dependency_trigger();
  sums = block_sums<kThreads>(sums, scratch);
  if (threadIdx.x != 0) return;
  space.counts[blockIdx.x] = {sums};
  if (blockIdx.x != 0) return;
  *space.ticket = 0;
  *space.handed_out = 0;
}

}  // namespace

Status launch_count(const Params& p, void* workspace, void* stream) {
  if (!counts(p)) return {};
  const std::int64_t items = counted_items(p);
  return with_slice_threads(items, [&](auto threads) {
    return platform::launch({.grid = dim3(static_cast<unsigned>(slices_of(items))),
                             .block = dim3(threads),
                             .stream = stream,
                             .programmatic = true},
                            count_kernel<threads>, p, workspace);
  });
}

}  // namespace plusmax::cross_entropy
