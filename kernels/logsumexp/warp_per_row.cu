// One warp per row, the whole row in registers, each logit read once: maximum first, then the sum, so nothing is
// rescaled.
#include "kernels/catalog.hpp"
#include "kernels/logsumexp/common.cuh"

namespace plusmax::logsumexp {
namespace {

// logits: [rows, cols], row_stride elements apart; lse: [rows], lse_stride elements apart
template <class T, int kVectors>
__global__ void __launch_bounds__(kWarpRowThreads) warp_per_row_kernel(const __grid_constant__ Params p) {
  using Accum = AccumOf<T>;
  using M = Math<Accum>;
  const std::int64_t row = block_index() * (kWarpRowThreads / kWarpSize) + warp_index();
  if (row >= p.rows) return;
  const RowSpan<T> span = row_span<T>(p.logits, row, p.row_stride, p.cols);
  const Accum edge = span.edge(lane_index(), p.cols);
  // Slots follow the row's lines; those before its first vector hold its last ones instead, so none is empty in vain.
  const int offset = static_cast<int>(span.begin);
  const int count = static_cast<int>(span.end - span.begin);
  Vector<T> batch[kVectors];
  PLUSMAX_UNROLL
  for (int i = 0; i < kVectors; ++i) {
    int index = i * kWarpSize + lane_index() - offset;
    if (i == 0 && index < 0) index += kVectors * kWarpSize;
    batch[i] = index < count ? load_vector<T>(span.vector(offset + index)) : negative_infinity_vector<T>();
  }
  const Accum largest = warp_maximum(M::maximum(M::maximum(edge, maximum(batch)), M::negative_infinity()));
  const Accum shift = safe_shift(largest);
  const Accum sum = warp_sum(sum_exp(batch, shift) + M::exp_shifted(edge, shift));
  if (lane_index() == 0) store_result<T>(p, row, finish(MaxSum<Accum>{largest, sum}));
}

Status supports(const Params& p) {
  if (p.dtype == PLUSMAX_F64) return Status::error(PLUSMAX_UNSUPPORTED, "warp_per_row has no f64; block_per_row has");
  if (Status status = contiguous(p, "warp_per_row"); !status.ok()) return status;
  if (warp_row_vectors(p.dtype, p.cols) > kWarpRowMaxVectors)
    return Status::error(PLUSMAX_UNSUPPORTED, "warp_per_row: cols %lld need more than %d bytes of registers",
                         static_cast<long long>(p.cols), kWarpRowMaxVectors * kWarpSize * kVectorBytes);
  return {};
}

template <class T, int kVectors>
Status launch_vectors(const Params& p, void* stream) {
  constexpr std::int64_t kRows = kWarpRowThreads / kWarpSize;
  return platform::launch(
      {.grid = grid_of((p.rows + kRows - 1) / kRows), .block = dim3(kWarpRowThreads), .stream = stream},
      warp_per_row_kernel<T, kVectors>, p);
}

Status launch_variant(const Params& p, void*, void* stream) {
  if (Status status = supports(p); !status.ok() || p.rows == 0) return status;
  return with_type(p.dtype, [&](auto element) -> Status {
    using T = decltype(element);
    if constexpr (sizeof(T) == 8) {
      return supports(p);
    } else {
      switch (warp_row_vectors(p.dtype, p.cols)) {
        case 1:
          return launch_vectors<T, 1>(p, stream);
        case 2:
          return launch_vectors<T, 2>(p, stream);
        case 4:
          return launch_vectors<T, 4>(p, stream);
        default:
          return launch_vectors<T, kWarpRowMaxVectors>(p, stream);
      }
    }
  });
}

ErrorShape error_shape(const Params& p) {
  const int vectors = warp_row_vectors(p.dtype, p.cols);
  // a batch, the edge, the warp; one maximum for the whole row
  return shape_of(p.dtype, batch_additions(p.dtype, vectors) + 1 + kWarpLevels, 0);
}

}  // namespace

extern const KernelVariant<Params> warp_per_row;
const KernelVariant<Params> warp_per_row = {
    "warp_per_row", dtype_bit(PLUSMAX_F32) | dtype_bit(PLUSMAX_F16) | dtype_bit(PLUSMAX_BF16),
    supports,       no_workspace,
    launch_variant, bytes_moved,
    error_shape};

}  // namespace plusmax::logsumexp
