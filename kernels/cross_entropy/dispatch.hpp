// Check, choose, launch: the operation as the C ABI calls it.
#pragma once

#include "kernels/catalog.hpp"

namespace plusmax::cross_entropy {

Status check_options(const Options&, plusmax_dtype);
// Everything but the pointers: sizes, strides, options, overflow.
Status check_shape(const Params&);
// The pointers: null, alignment, overlaps.
Status check_pointers(const Params&);
// The variant for these parameters, which have been checked; `batch_invariant`: blind to rows and to the
// outputs that are asked for.
const KernelVariant<Params>& choose(const Params&, bool batch_invariant);

}  // namespace plusmax::cross_entropy
