#include "kernels/cross_entropy/dispatch.hpp"

#include "kernels/cross_entropy/config.hpp"

namespace plusmax::cross_entropy {

extern const KernelVariant<Params> warp_per_row, block_per_row, cluster_per_row, split_row, two_pass;

const KernelVariant<Params>& choose(const Params& p, bool batch_invariant) {
  if (p.backward) return two_pass;
  if (warp_per_row.supports(p).ok()) return warp_per_row;
  Params with_gradient = p;  // what is asked for may not show in a bit either, so the loss alone goes where both would
  with_gradient.dlogits = &with_gradient;
  if (batch_invariant) return block_per_row.supports(with_gradient).ok() ? block_per_row : two_pass;
  const bool long_row = row_bytes(p.dtype, p.cols) > kBlockRowBytes;
  if (long_row && cluster_per_row.supports(p).ok()) return cluster_per_row;
  if (long_row && p.rows <= kSplitMaxRows && split_row.supports(p).ok()) return split_row;
  if (p.dlogits == nullptr) return block_per_row;
  return block_per_row.supports(p).ok() ? block_per_row : two_pass;
}

}  // namespace plusmax::cross_entropy
