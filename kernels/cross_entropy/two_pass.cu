// One block per row of any length: a pass over the row for its sums, a pass for its gradient that reads it again, from
// L2 where it is still there. Also the backward from saved sums, which is the second pass alone.
#include "kernels/catalog.hpp"
#include "kernels/cross_entropy/block_row.cuh"
#include "kernels/cross_entropy/common.cuh"
#include "kernels/cross_entropy/reread.cuh"

namespace plusmax::cross_entropy {
namespace {

// logits, dlogits: [rows, cols], row_stride and dlogits_stride elements apart
template <class T, template <class> class Mode, int kThreads>
__global__ void __launch_bounds__(kThreads)
    two_pass_kernel(const __grid_constant__ Params p, const __grid_constant__ Settings<AccumOf<T>> s, void* workspace) {
  const std::int64_t row = block_index();
  if (row >= p.rows) return;
  block_row<T, Mode, kThreads>(p, s, workspace, Reread<T>{row_span<T>(p.logits, row, p.row_stride, p.cols).line});
}

std::size_t workspace_bytes(const Params& p) { return call_bytes(p); }

Status supports(const Params&) { return {}; }

template <class T, template <class> class Mode, int kThreads>
Status launch_threads(const Params& p, void* workspace, void* stream) {
  return platform::launch({.grid = grid_of(p.rows), .block = dim3(kThreads), .stream = stream},
                          two_pass_kernel<T, Mode, kThreads>, p, settings_of<AccumOf<T>>(p), workspace);
}

template <class T, template <class> class Mode>
Status launch_mode(const Params& p, void* workspace, void* stream) {
  return two_pass_threads(p.dtype, p.cols) == 128 ? launch_threads<T, Mode, 128>(p, workspace, stream)
                                                  : launch_threads<T, Mode, 1024>(p, workspace, stream);
}

Status launch_variant(const Params& p, void* workspace, void* stream) {
  return launch_call(p, workspace_bytes(p), workspace, stream, [&] {
    return with_type(p.dtype, [&](auto element) {
      using T = decltype(element);
      return row_mode(p) == RowMode::plain ? launch_mode<T, Plain>(p, workspace, stream)
                                           : launch_mode<T, Capped>(p, workspace, stream);
    });
  });
}

CrossEntropyShape error_shape(const Params& p) { return block_shape(p, two_pass_threads(p.dtype, p.cols)); }

}  // namespace

extern const KernelVariant<Params> two_pass;
const KernelVariant<Params> two_pass = {
    "two_pass", kFloats | dtype_bit(PLUSMAX_F64), supports, workspace_bytes, launch_variant, bytes_moved, error_shape};

}  // namespace plusmax::cross_entropy
