// One lane per row, 32 rows a block, columns in turn over the warps, each logit read once: for transposed inputs and every
// other pair of strides. Lanes that are neighbours read neighbours in memory when row_stride is 1.
#include "kernels/catalog.hpp"
#include "kernels/logsumexp/common.cuh"
#include "kernels/primitives/column.cuh"

namespace plusmax::logsumexp {
namespace {

// logits: [rows, cols], row_stride and col_stride elements apart; lse: [rows], lse_stride elements apart
template <class T>
__global__ void __launch_bounds__(kLaneRowWarps* kWarpSize) lane_per_row_kernel(const __grid_constant__ Params p) {
  using Accum = AccumOf<T>;
  PLUSMAX_SHARED(MaxSum<Accum>, scratch, kLaneRowWarps* kWarpSize);
  const std::int64_t row = block_index() * kWarpSize + lane_index();
  MaxSum<Accum> state = empty_sum<Accum>();
  if (row < p.rows) {
    const ColumnWalk<T> walk(p.logits, row, p.row_stride, p.col_stride, p.cols);
    for (std::int64_t column = warp_index() * kLaneRowBatch; column < p.cols; column += kLaneRowWarps * kLaneRowBatch)
      absorb_columns<kLaneRowBatch>(state, walk, column);
  }
  scratch[threadIdx.x] = state;
  __syncthreads();  // separates every warp's store from the first warp's reads
  if (warp_index() == 0 && row < p.rows) {
    const auto part = [&](int warp) { return scratch[warp * kWarpSize + lane_index()]; };
    store_result<T>(p, row, finish(merge_states<Accum, kLaneRowWarps>(part)));
  }
}

Status supports(const Params&) { return {}; }

Status launch_variant(const Params& p, void*, void* stream) {
  if (p.rows == 0) return {};
  return with_type(p.dtype, [&](auto element) {
    return platform::launch({.grid = grid_of((p.rows + kWarpSize - 1) / kWarpSize), .block = dim3(kLaneRowWarps * kWarpSize), .stream = stream},
                  lane_per_row_kernel<decltype(element)>, p);
  });
}

ErrorShape error_shape(const Params& p) {
  constexpr std::int64_t kStep = kLaneRowWarps * kLaneRowBatch;
  const double batches = static_cast<double>((p.cols + kStep - 1) / kStep);
  // within a batch, over the later batches, over the warps
  return shape_of(p.dtype, column_additions(kLaneRowBatch) + (batches > 1 ? batches - 1 : 0) + (kLaneRowWarps - 1),
                  (batches > 1 ? batches - 1 : 0) + 1);
}

}  // namespace

extern const KernelVariant<Params> lane_per_row;
const KernelVariant<Params> lane_per_row = {
    "lane_per_row", dtype_bit(PLUSMAX_F32) | dtype_bit(PLUSMAX_F16) | dtype_bit(PLUSMAX_BF16) | dtype_bit(PLUSMAX_F64),
    supports, no_workspace, launch_variant, bytes_moved, error_shape};

}  // namespace plusmax::logsumexp
