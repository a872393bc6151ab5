#include "kernels/cross_entropy/dispatch.hpp"

#include "kernels/cross_entropy/config.hpp"

namespace plusmax::cross_entropy {

extern const KernelVariant<Params> warp_per_row, block_per_row, two_pass;

const KernelVariant<Params>& choose(const Params& p, bool) {
  if (p.backward) return two_pass;
  for (const KernelVariant<Params>* each : {&warp_per_row, &block_per_row})
    if (each->supports(p).ok()) return *each;
  return two_pass;
}

}  // namespace plusmax::cross_entropy
