// One block per row, one pass, each logit read once; every thread keeps a running pair, merged warp by warp.
#include "kernels/catalog.hpp"
#include "kernels/logsumexp/common.cuh"
#include "kernels/primitives/block.cuh"
#include "kernels/primitives/stream.cuh"

namespace plusmax::logsumexp {
namespace {

// logits: [rows, cols], row_stride elements apart; lse: [rows], lse_stride elements apart
template <class T, int kThreads>
__global__ void __launch_bounds__(kThreads) block_per_row_kernel(const __grid_constant__ Params p) {
  using Accum = AccumOf<T>;
  PLUSMAX_SHARED(MaxSum<Accum>, scratch, kThreads / kWarpSize);
  const std::int64_t row = block_index();
  if (row >= p.rows) return;
  const RowSpan<T> span = row_span<T>(p.logits, row, p.row_stride, p.cols);
  const Accum edge = span.edge(static_cast<int>(threadIdx.x), p.cols);
  MaxSum<Accum> state = stream_vectors<T, kThreads>(span, 0, span.end);
  state = block_merge<kThreads>(merge(state, single(edge)), scratch);
  if (threadIdx.x == 0) store_result<T>(p, row, finish(state));
}

Status supports(const Params& p) { return contiguous(p, "block_per_row"); }

template <class T, int kThreads>
Status launch_threads(const Params& p, void* stream) {
  return platform::launch({.grid = grid_of(p.rows), .block = dim3(kThreads), .stream = stream},
                          block_per_row_kernel<T, kThreads>, p);
}

Status launch_variant(const Params& p, void*, void* stream) {
  if (Status status = supports(p); !status.ok() || p.rows == 0) return status;
  return with_type(p.dtype, [&](auto element) {
    using T = decltype(element);
    switch (block_row_threads(p.dtype, p.cols)) {
      case 64:
        return launch_threads<T, 64>(p, stream);
      case 128:
        return launch_threads<T, 128>(p, stream);
      case 256:
        return launch_threads<T, 256>(p, stream);
      case 512:
        return launch_threads<T, 512>(p, stream);
      default:
        return launch_threads<T, 1024>(p, stream);
    }
  });
}

ErrorShape error_shape(const Params& p) {
  const int threads = block_row_threads(p.dtype, p.cols);
  const double batches = static_cast<double>(stream_batches(row_vectors(p.dtype, p.cols), threads));
  // within a batch, over the later batches, the edge, the block
  return shape_of(p.dtype, batch_additions(p.dtype, kBatchVectors) + (batches - 1) + 1 + block_additions(threads),
                  (batches - 1) + 1 + block_rescales(threads));
}

}  // namespace

extern const KernelVariant<Params> block_per_row;
const KernelVariant<Params> block_per_row = {
    "block_per_row", dtype_bit(PLUSMAX_F32) | dtype_bit(PLUSMAX_F16) | dtype_bit(PLUSMAX_BF16) | dtype_bit(PLUSMAX_F64),
    supports,        no_workspace,
    launch_variant,  bytes_moved,
    error_shape};

}  // namespace plusmax::logsumexp
