// Slices of the vocabulary, each computed twice: once for the rows' sums, once for its gradient, from which come a
// slice of dW by one product over all rows, and its part of dX, summed in f32. The second time goes from the last
// slice, which is still there, to the first.
#include "kernels/linear_cross_entropy/slices.hpp"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr const char* kName = "vocab_slices";

Status slice_gradients(const Params& p, const Workspace& space, const Slice& slice, bool first, void* stream) {
  if (Status status = launch_slice_gradient(p, space, slice.begin, slice.cols, stream); !status.ok()) return status;
  const Matrix dlogits{space.logits, chunk_dtype(p), p.plan->tile_rows, slice.cols, line_stride(p.plan->tile_cols)};
  if (p.dbias != nullptr) {
    const bool apart = space.dbias != nullptr;
    float* sums = (apart ? space.dbias : static_cast<float*>(p.dbias)) + slice.begin;
    if (Status status = launch_column_sums(dlogits, sums, p.add_to_dweight && !apart, stream); !status.ok())
      return status;
  }
  if (chunk_dtype(p) != p.dtype)
    if (Status status = launch_narrow(dlogits, p.dtype, stream); !status.ok()) return status;
  const Plan& plan = *p.plan;
  if (p.dweight != nullptr)
    if (Status status = plan.gemm.run(slice.products->dweight, dweight_factors(p, space, slice.begin), p.add_to_dweight,
                                      space.product, stream);
        !status.ok())
      return status;
  if (p.dhidden == nullptr) return {};
  return plan.gemm.run(slice.products->dhidden, dhidden_factors(p, space, slice.begin), !first, space.product, stream);
}

Status backward_slices(const Params& p, const Workspace& space, void* stream) {
  const std::int64_t last = p.plan->chunks - 1;
  for (std::int64_t index = last; index >= 0; --index) {
    const Slice slice = slice_of(*p.plan, index);
    if (index != last)
      if (Status status = slice_logits(p, space, slice, stream); !status.ok()) return status;
    if (Status status = slice_gradients(p, space, slice, index == last, stream); !status.ok()) return status;
  }
  return {};
}

std::size_t workspace_bytes(const Params& p) { return layout(p).bytes; }

Status supports(const Params& p) { return check_mode(p, PLUSMAX_VOCAB_SLICES, kName); }

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok()) return status;
  const Workspace space = layout(p, workspace);
  if (Status status = begin_call(p, space, stream); !status.ok()) return status;
  if (p.plan->chunks > 0) {
    if (Status status = launch_gather(p, space, 0, stream); !status.ok()) return status;
    if (Status status = forward_slices(p, space, stream); !status.ok()) return status;
    if (Status status = backward_slices(p, space, stream); !status.ok()) return status;
    if (Status status = launch_scatter(p, space, 0, stream); !status.ok()) return status;
  }
  return end_call(p, space, stream);
}

}  // namespace

extern const KernelVariant<Params> vocab_slices;
const KernelVariant<Params> vocab_slices = {kName,          kFloats,     supports,    workspace_bytes,
                                            launch_variant, bytes_moved, slices_shape};

}  // namespace plusmax::linear_cross_entropy
