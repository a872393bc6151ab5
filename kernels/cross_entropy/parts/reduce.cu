// The outputs of one value, after the rows. A block a slice of the rows' losses; the last to arrive adds the slices up
// in their order, whoever it is, in f64.
#include "kernels/cross_entropy/parts.hpp"
#include "kernels/cross_entropy/workspace.cuh"
#include "kernels/platform/latency.cuh"
#include "kernels/platform/launch.hpp"

namespace plusmax::cross_entropy {
namespace {

// A mean over nothing is 0, or NaN by option, as long as no target is bad.
__device__ __forceinline__ double reduced(const Params& p, const LossPart& losses, const CountPart& counted) {
  if (counted.value[2] > 0) return NAN;
  if (p.options.reduction != PLUSMAX_MEAN) return losses.value[0] + losses.value[1];
  const double weight = p.normalizer == nullptr ? counted.value[0] : p.normalizer[0];
  const double rows = p.normalizer == nullptr ? counted.value[1] : p.normalizer[1];
  if (weight == 0 || rows == 0) return p.options.nan_when_empty ? NAN : 0.0;
  return losses.value[0] / weight + (p.options.z_loss > 0 ? losses.value[1] / rows : 0.0);
}

// Rows that a thread loads before it adds the first.
template <class Accum>
constexpr int kRowsAhead = sizeof(Accum) == 4 ? 16 : 4;
// Blocks that a multiprocessor has registers for: each fits where one block of rows has ended.
constexpr int kResident = 3;

// As store_losses leaves it.
template <class Accum>
struct alignas(2 * sizeof(Accum)) RowLosses {
  Accum loss, z_loss;
};

// By a whole block. Unless the rows are done it adds nothing up, and touches no memory that launches share.
template <class Accum, int kThreads>
__device__ PLUSMAX_INLINE_ON_DEVICE void reduce_slice(const Params& p, const Workspace& space, Sums<2>* scratch,
                                                      bool rows_done) {
  constexpr int kRows = kRowsAhead<Accum>;
  const std::int64_t length = slice_length(p.rows), from = blockIdx.x * length;
  const std::int64_t end = from + length < p.rows ? from + length : p.rows;
  const std::int64_t to = rows_done && p.loss != nullptr ? end : from;
  const auto* losses = static_cast<const RowLosses<Accum>*>(space.row_losses);
  Sums<2> sums{};
  PLUSMAX_KEEP_ROLLED
  for (std::int64_t row = from + threadIdx.x; row < to; row += kRows * kThreads) {
    RowLosses<Accum> of[kRows] = {};
    PLUSMAX_UNROLL
    for (int i = 0; i < kRows; ++i)
      if (row + i * kThreads < to) of[i] = losses[row + i * kThreads];
    PLUSMAX_UNROLL
    for (int i = 0; i < kRows; ++i) {
      sums.value[0] += static_cast<double>(of[i].loss);
      sums.value[1] += static_cast<double>(of[i].z_loss);
    }
  }
  // While these loads travel: the chain of one after the other is what a short call waits for.
  CountPart counted{};
  if (rows_done && gridDim.x == 1 && warp_index() == 0) counted = read_counts(p, space);
  sums = block_sums<kThreads>(sums, scratch);
  if (!rows_done || warp_index() != 0) return;
  if (gridDim.x > 1) {
    unsigned arrived = 0;
    if (lane_index() == 0) {
      space.losses[blockIdx.x] = {sums};
      // Releases this slice; the last arrival acquires all.
      arrived = platform::atomic_add(space.ticket, 1u, platform::Order::acq_rel);
    }
    arrived = platform::shuffle(arrived, 0);
    __syncwarp();  // separates lane 0's acquire from the other lanes' reads of the slices
    if (arrived != gridDim.x - 1) return;
    sums = warp_sums_of<2>(static_cast<int>(gridDim.x), [&](int slice) { return space.losses[slice]; });
    counted = read_counts(p, space);
  }
  const LossPart all{sums};
  if (lane_index() != 0) return;
  if (p.loss != nullptr) *static_cast<Accum*>(p.loss) = static_cast<Accum>(reduced(p, all, counted));
  if (p.num_valid != nullptr) *p.num_valid = static_cast<std::int64_t>(counted.value[1]);
  if (p.bad_targets != nullptr) *p.bad_targets = static_cast<std::int64_t>(counted.value[2]);
}

template <class Accum, int kThreads>
__global__ void __launch_bounds__(kThreads, kResident)
    reduce_kernel(const __grid_constant__ Params p, void* workspace) {
  PLUSMAX_SHARED(Sums<2>, scratch, kThreads / kWarpSize);
  const Workspace space = layout(p, workspace);
  // Once while the rows run, for nothing but the instructions of the block's sums, which are near then: fetched after
  // the rows they would take longer than all else.
  PLUSMAX_KEEP_ROLLED
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1) platform::grid_dependency_wait();  // the rows are done, and with them the count they waited for
    reduce_slice<Accum, kThreads>(p, space, scratch, pass == 1);
    __syncthreads();  // separates the first pass's reads of the scratch from the second's stores
  }
}

}  // namespace

Status launch_reduce(const Params& p, void* workspace, void* stream) {
  if (!reduces(p)) return {};
  return with_slice_threads(p.rows, [&](auto threads) {
    const platform::LaunchConfig config{.grid = dim3(static_cast<unsigned>(p.loss == nullptr ? 1 : slices_of(p.rows))),
                                        .block = dim3(threads),
                                        .stream = stream,
                                        .programmatic = true};
    return p.dtype == PLUSMAX_F64 ? platform::launch(config, reduce_kernel<double, threads>, p, workspace)
                                  : platform::launch(config, reduce_kernel<float, threads>, p, workspace);
  });
}

}  // namespace plusmax::cross_entropy
