// Check, plan: the operation as the C ABI calls it.
#pragma once

#include "kernels/linear_cross_entropy/plan.hpp"

namespace plusmax::linear_cross_entropy {

// Everything but the pointers: sizes, strides, types, options, overflow.
Status check_shape(const Params&);
Status check_plan_options(const Params&, const PlanOptions&);
// The pointers: null, alignment, overlaps.
Status check_pointers(const Params&);
// Whether a call, whose shape has been checked, is what its plan was made for.
Status check_planned(const Params&);

// Bytes that an address given for `dtype` is a multiple of, as far as products care.
int alignment_of(const void* pointer, plusmax_dtype dtype);

}  // namespace plusmax::linear_cross_entropy
