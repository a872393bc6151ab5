// Chunks of tokens, one after the other in the same memory: logits by a product, cross_entropy over them in place, dW
// and dX by two more. dX takes the place of X once dW has been made from it.
#include "kernels/linear_cross_entropy/call.hpp"
#include "kernels/linear_cross_entropy/product_shapes.hpp"
#include "kernels/linear_cross_entropy/products.hpp"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr const char* kName = "token_chunks";

Status chunk_gradients(const Params& p, const Workspace& space, bool first, void* stream) {
  const Plan& plan = *p.plan;
  const Matrix dlogits{space.logits, chunk_dtype(p), plan.tile_rows, p.vocab, line_stride(p.vocab)};
  if (p.dbias != nullptr) {
    float* sums = space.dbias != nullptr ? space.dbias : static_cast<float*>(p.dbias);
    const bool add = !first || (p.add_to_dweight && space.dbias == nullptr);
    if (Status status = launch_column_sums(dlogits, sums, add, stream); !status.ok()) return status;
  }
  // Products take both operands in one type.
  if (chunk_dtype(p) != p.dtype)
    if (Status status = launch_narrow(dlogits, p.dtype, stream); !status.ok()) return status;
  if (p.dweight != nullptr) {
    const bool add = !first || (p.add_to_dweight && space.dweight == nullptr);
    if (Status status = plan.gemm.run(plan.products.dweight, dweight_factors(p, space, 0), add, space.product, stream);
        !status.ok())
      return status;
  }
  if (p.dhidden == nullptr) return {};
  return plan.gemm.run(plan.products.dhidden, dhidden_factors(p, space, 0), false, space.product, stream);
}

Status run_chunk(const Params& p, const Workspace& space, std::int64_t first, void* stream) {
  const Plan& plan = *p.plan;
  if (Status status = launch_gather(p, space, first, stream); !status.ok()) return status;
  if (Status status = plan.gemm.run(plan.products.logits, logits_factors(p, space, 0), false, space.product, stream);
      !status.ok())
    return status;
  if (Status status = plan.row_variant->launch(rows_call(p, space), space.rows, stream); !status.ok()) return status;
  if (wants_gradient(p))
    if (Status status = chunk_gradients(p, space, first == 0, stream); !status.ok()) return status;
  return launch_scatter(p, space, first, stream);
}

std::size_t workspace_bytes(const Params& p) { return layout(p).bytes; }

Status supports(const Params& p) { return check_mode(p, PLUSMAX_TOKEN_CHUNKS, kName); }

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok()) return status;
  const Workspace space = layout(p, workspace);
  if (Status status = begin_call(p, space, stream); !status.ok()) return status;
  for (std::int64_t chunk = 0; chunk < p.plan->chunks; ++chunk)
    if (Status status = run_chunk(p, space, chunk * p.plan->tile_rows, stream); !status.ok()) return status;
  return end_call(p, space, stream);
}

LinearCrossEntropyShape error_shape(const Params& p) {
  return with_products(p, p.plan->row_variant->error_shape(rows_call(p, layout(p))));
}

}  // namespace

extern const KernelVariant<Params> token_chunks;
const KernelVariant<Params> token_chunks = {kName,          kFloats,     supports,   workspace_bytes,
                                            launch_variant, bytes_moved, error_shape};

}  // namespace plusmax::linear_cross_entropy
