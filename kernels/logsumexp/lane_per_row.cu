// One lane per row (two for pairs of 16-bit rows that lie side by side), 32 or 64 rows a block, columns in turn over
// the warps, each logit read once: for transposed inputs and every other pair of strides. Lanes that are neighbours
// read neighbours in memory when row_stride is 1.
#include "kernels/catalog.hpp"
#include "kernels/logsumexp/common.cuh"
#include "kernels/primitives/column.cuh"

namespace plusmax::logsumexp {
namespace {

constexpr int kThreads = kLaneRowWarps * kWarpSize;

// logits: [rows, cols], row_stride and col_stride elements apart; lse: [rows], lse_stride elements apart
template <class T, int kRows>
__global__ void __launch_bounds__(kThreads) lane_per_row_kernel(const __grid_constant__ Params p) {
  using Accum = AccumOf<T>;
  PLUSMAX_SHARED(MaxSum<Accum>, scratch, kRows * kThreads);
  const std::int64_t first = block_index() * (kWarpSize * kRows), own = first + lane_index() * kRows;
  constexpr std::int64_t kStep = kLaneRowWarps * kLaneRowBatch;
  const std::int64_t from = warp_index() * kLaneRowBatch;
  MaxSum<Accum> state[kRows];
  PLUSMAX_UNROLL
  for (int r = 0; r < kRows; ++r) state[r] = empty_sum<Accum>();
  if (own + kRows <= p.rows) {
    absorb_rows<kLaneRowBatch>(state, ColumnWalk<T, kRows>(p.logits, own, p.row_stride, p.col_stride), from, kStep,
                               p.cols);
  } else if (own < p.rows) {  // the last of an odd number of rows
    MaxSum<Accum> last[1] = {state[0]};
    absorb_rows<kLaneRowBatch>(last, ColumnWalk<T, 1>(p.logits, own, p.row_stride, p.col_stride), from, kStep, p.cols);
    state[0] = last[0];
  }
  PLUSMAX_UNROLL
  for (int r = 0; r < kRows; ++r) scratch[r * kThreads + threadIdx.x] = state[r];
  __syncthreads();                // separates every warp's stores from the first warps' reads
  const int mine = warp_index();  // which of the lane's rows this warp finishes
  const std::int64_t row = first + lane_index() * kRows + mine;
  if (mine >= kRows || row >= p.rows) return;
  const auto part = [&](int warp) { return scratch[mine * kThreads + warp * kWarpSize + lane_index()]; };
  store_result<T>(p, row, finish(merge_states<Accum, kLaneRowWarps>(part)));
}

Status supports(const Params&) { return {}; }

// Whether every pair of rows is one aligned 32-bit word in every column. The order of additions is the same either way.
bool pairs(const Params& p) {
  return element_size(p.dtype) == 2 && p.row_stride == 1 && p.col_stride % 2 == 0 &&
         reinterpret_cast<std::uintptr_t>(p.logits) % 4 == 0;
}

template <class T, int kRows>
Status launch_rows(const Params& p, void* stream) {
  constexpr std::int64_t kBlockRows = kWarpSize * kRows;
  return platform::launch(
      {.grid = grid_of((p.rows + kBlockRows - 1) / kBlockRows), .block = dim3(kThreads), .stream = stream},
      lane_per_row_kernel<T, kRows>, p);
}

Status launch_variant(const Params& p, void*, void* stream) {
  if (p.rows == 0) return {};
  return with_type(p.dtype, [&](auto element) {
    using T = decltype(element);
    if constexpr (sizeof(T) == 2)
      if (pairs(p)) return launch_rows<T, 2>(p, stream);
    return launch_rows<T, 1>(p, stream);
  });
}

ErrorShape error_shape(const Params& p) {
  constexpr std::int64_t kStep = kLaneRowWarps * kLaneRowBatch;
  const double batches = static_cast<double>(p.cols > kStep ? (p.cols + kStep - 1) / kStep : 1);
  // within a batch, over the later batches, over the warps
  return shape_of(p.dtype, column_additions(kLaneRowBatch) + (batches - 1) + (kLaneRowWarps - 1), (batches - 1) + 1);
}

}  // namespace

extern const KernelVariant<Params> lane_per_row;
const KernelVariant<Params> lane_per_row = {
    "lane_per_row", dtype_bit(PLUSMAX_F32) | dtype_bit(PLUSMAX_F16) | dtype_bit(PLUSMAX_BF16) | dtype_bit(PLUSMAX_F64),
    supports,       no_workspace,
    launch_variant, bytes_moved,
    error_shape};

}  // namespace plusmax::logsumexp
