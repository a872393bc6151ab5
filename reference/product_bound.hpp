// What a computed inner product may be off by, docs/numerics.md section 3h.
#pragma once

#include "kernels/error_shape.h"
#include "reference/inner_product.hpp"

namespace plusmax::reference {

// N: steps of a sum of so many products, the additions of its ranges included.
double product_steps(const ProductShape&, std::size_t terms);

// |computed - sum of the products of the kernel's own factors|, in the f32 accumulator; infinite where that may
// overflow. `input_error` is what those factors change in the sum of magnitudes, and so in A, P and T at most.
double product_error(const ProductShape&, const InnerProduct&, std::size_t terms, double input_error = 0);

}  // namespace plusmax::reference
