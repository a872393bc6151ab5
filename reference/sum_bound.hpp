// The factors that make a first-order bound of a sum of exponentials rigorous (docs/numerics.md section 3a).
#pragma once

#include "kernels/error_shape.h"

namespace plusmax::reference {

// Sums of products of non-negative numbers are evaluated in double with a relative error far below 2^-40.
inline constexpr double kBoundInflation = 1 + 0x1p-40;

// exp(-d) of a term that is not underflow has d below this: 104 for f32, 746 for f64.
double largest_distance(const ErrorShape&);

// (1 + Sigma) / (1 - v): a product of factors 1 + e_i whose first-order sum is t differs from 1 by at most this times
// t. Infinite where the expansion does not hold.
double second_order_factor(const ErrorShape&);

// rho / (1 - rho), infinite from rho = 1 on.
double of_quotient(double rho);

}  // namespace plusmax::reference
