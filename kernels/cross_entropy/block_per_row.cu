// One block per row; the row stays in shared memory between its sums and its gradient, so each logit is read once and
// each gradient written once.
#include "kernels/catalog.hpp"
#include "kernels/cross_entropy/block_row.cuh"
#include "kernels/cross_entropy/common.cuh"
#include "kernels/platform/memory.cuh"

namespace plusmax::cross_entropy {
namespace {

// Each thread keeps the vectors that it will want again: no barrier is needed for them.
template <class T>
struct Kept {
  uint4* slots;  // by the vector's number; null without a gradient

  __device__ __forceinline__ Vector<T> read(const uint4* from) const { return {platform::load_mutable(from)}; }
  __device__ __forceinline__ void keep(std::int64_t index, const Vector<T>& vector) const {
    if (slots != nullptr) slots[index] = vector.bits;
  }
  __device__ __forceinline__ Vector<T> again(std::int64_t index) const { return {slots[index]}; }
  __device__ __forceinline__ void write(uint4* to, const Vector<T>& vector) const {
    platform::store_vector(to, vector.bits);
  }
};

// logits, dlogits: [rows, cols], row_stride and dlogits_stride elements apart
template <class T, template <class> class Mode, int kThreads>
__global__ void __launch_bounds__(kThreads)
    block_per_row_kernel(const __grid_constant__ Params p, const __grid_constant__ Settings<AccumOf<T>> s,
                         void* workspace) {
  PLUSMAX_SHARED_DYNAMIC(uint4, kept);
  block_row<T, Mode, kThreads>(p, s, workspace, Kept<T>{p.dlogits == nullptr ? nullptr : kept});
}

std::size_t workspace_bytes(const Params& p) { return call_bytes(p); }

Status supports(const Params& p) {
  if (p.backward)
    return Status::error(PLUSMAX_UNSUPPORTED, "block_per_row keeps rows that it has summed; two_pass has the backward");
  const std::size_t limit = platform::shared_bytes_limit() - kBlockRowStatic;
  if (p.dlogits == nullptr || kept_bytes(p.dtype, p.cols) <= limit) return {};
  return Status::error(PLUSMAX_UNSUPPORTED,
                       "block_per_row: %lld columns need %zu bytes of shared memory, there are %zu",
                       static_cast<long long>(p.cols), kept_bytes(p.dtype, p.cols), limit);
}

template <class T, template <class> class Mode, int kThreads>
Status launch_threads(const Params& p, void* workspace, void* stream) {
  return platform::launch({.grid = grid_of(p.rows),
                           .block = dim3(kThreads),
                           .shared_bytes = p.dlogits == nullptr ? 0 : kept_bytes(p.dtype, p.cols),
                           .stream = stream},
                          block_per_row_kernel<T, Mode, kThreads>, p, settings_of<AccumOf<T>>(p), workspace);
}

template <class T, template <class> class Mode>
Status launch_mode(const Params& p, void* workspace, void* stream) {
  return block_row_threads(p.dtype, p.cols) == 128 ? launch_threads<T, Mode, 128>(p, workspace, stream)
                                                   : launch_threads<T, Mode, 512>(p, workspace, stream);
}

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok()) return status;
  return launch_call(p, workspace_bytes(p), workspace, stream, [&] {
    return with_type(p.dtype, [&](auto element) {
      using T = decltype(element);
      switch (row_mode(p)) {
        case RowMode::plain:
          return launch_mode<T, Plain>(p, workspace, stream);
        case RowMode::smooth:
          return launch_mode<T, Smooth>(p, workspace, stream);
        case RowMode::full:
          return launch_mode<T, Full>(p, workspace, stream);
        default:
          return launch_mode<T, Capped>(p, workspace, stream);
      }
    });
  });
}

CrossEntropyShape error_shape(const Params& p) { return block_shape(p, block_row_threads(p.dtype, p.cols)); }

}  // namespace

extern const KernelVariant<Params> block_per_row;
const KernelVariant<Params> block_per_row = {
    "block_per_row", kFloats | dtype_bit(PLUSMAX_F64), supports, workspace_bytes, launch_variant, bytes_moved,
    error_shape};

}  // namespace plusmax::cross_entropy
