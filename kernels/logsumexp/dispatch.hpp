// Check, choose, launch: the operation as the C ABI calls it.
#pragma once

#include "kernels/catalog.hpp"

namespace plusmax::logsumexp {

struct Options {
  bool batch_invariant = false;  // the choice of variant may not look at rows
};

// Everything but the pointers: sizes, strides, overflow.
Status check_shape(const Params&);
// The pointers: null, alignment, overlap of the results with the logits.
Status check_pointers(const Params&);
// The variant for these parameters, which have been checked.
const KernelVariant<Params>& choose(const Params&, const Options&);

}  // namespace plusmax::logsumexp
