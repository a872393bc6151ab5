// Behind the count of the targets, by the same slices: a block a slice writes the numbers of its tokens that are not
// ignored behind those of the slices before it. Integers, so any order gives the same.
#include "kernels/cross_entropy/target.cuh"
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/platform/launch.hpp"

namespace plusmax::linear_cross_entropy {
namespace {

template <int kThreads>
__global__ void __launch_bounds__(kThreads)
    compact_kernel(const __grid_constant__ cross_entropy::Params call, const __grid_constant__ Workspace space,
                   std::int64_t rows, std::int64_t* excess_tokens) {
  PLUSMAX_SHARED(int, found, kThreads / kWarpSize);
  const cross_entropy::CountPart* counts = cross_entropy::layout(call, space.counts).counts;
  const int warp = warp_index(), lane = lane_index();
  if (blockIdx.x == 0 && warp == 0) {
    const cross_entropy::CountPart all = cross_entropy::read_counts(call, cross_entropy::layout(call, space.counts));
    if (lane == 0) {
      const auto valid = static_cast<std::int64_t>(all.value[1]);
      for (int i = 0; i < 2; ++i) {
        const double divisor = call.normalizer != nullptr ? call.normalizer[i] : all.value[i];
        space.normalizer[i] = valid > rows ? NAN : divisor;  // even where it is 0, and a mean 0
      }
      *space.valid = valid;
      if (excess_tokens != nullptr) *excess_tokens = valid > rows ? valid - rows : 0;
    }
  }
  const Sums<4> before = warp_sums_of<4>(static_cast<int>(blockIdx.x), [&](int slice) { return counts[slice]; });
  auto next = static_cast<std::int64_t>(before.value[1]);
  const std::int64_t length = cross_entropy::slice_length(cross_entropy::counted_items(call));
  const std::int64_t from = blockIdx.x * length, to = from + length < call.rows ? from + length : call.rows;
  for (std::int64_t tile = from; tile < to; tile += kThreads) {
    const std::int64_t token = tile + static_cast<int>(threadIdx.x);
    const bool counted = token < to && cross_entropy::read_target(call, token).kind != cross_entropy::RowKind::ignored;
    const unsigned mine = __ballot_sync(kFullWarp, counted);
    if (lane == 0) found[warp] = __popc(mine);
    __syncthreads();  // separates each warp's count from all warps' reads
    std::int64_t place = next + __popc(mine & ((1u << lane) - 1));
    for (int each = 0; each < kThreads / kWarpSize; ++each) {
      place += each < warp ? found[each] : 0;
      next += found[each];
    }
    if (counted) space.token[place] = token;
    __syncthreads();  // separates the reads from the next tile's counts
  }
}

}  // namespace

Status launch_compact(const Params& p, const Workspace& space, void* stream) {
  const cross_entropy::Params call = whole_call(p, space);
  const std::int64_t items = cross_entropy::counted_items(call);
  return cross_entropy::with_slice_threads(items, [&](auto threads) {
    return platform::launch({.grid = dim3(static_cast<unsigned>(cross_entropy::slices_of(items))),
                             .block = dim3(threads),
                             .stream = stream},
                            compact_kernel<threads>, call, space, p.plan->rows, p.excess_tokens);
  });
}

}  // namespace plusmax::linear_cross_entropy
