// Slices of the vocabulary, each computed once: losses without gradients, one product.
#include "kernels/linear_cross_entropy/slices.hpp"

namespace plusmax::linear_cross_entropy {
namespace {

constexpr const char* kName = "loss_only";

std::size_t workspace_bytes(const Params& p) { return layout(p).bytes; }

Status supports(const Params& p) { return check_mode(p, PLUSMAX_LOSS_ONLY, kName); }

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok()) return status;
  const Workspace space = layout(p, workspace);
  if (Status status = begin_call(p, space, stream); !status.ok()) return status;
  if (p.plan->chunks > 0) {
    if (Status status = launch_gather(p, space, 0, stream); !status.ok()) return status;
    if (Status status = forward_slices(p, space, stream); !status.ok()) return status;
    if (Status status = launch_scatter(p, space, 0, stream); !status.ok()) return status;
  }
  return end_call(p, space, stream);
}

}  // namespace

extern const KernelVariant<Params> loss_only;
const KernelVariant<Params> loss_only = {kName,          kFloats,     supports,    workspace_bytes,
                                         launch_variant, bytes_moved, slices_shape};

}  // namespace plusmax::linear_cross_entropy
