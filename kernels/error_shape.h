// What the error bound must know about a variant: how its sum is shaped and how good its functions are.
// Every number comes from the constants that the variant's own launch uses, never from a table of tolerances.
#ifndef PLUSMAX_KERNELS_ERROR_SHAPE_H
#define PLUSMAX_KERNELS_ERROR_SHAPE_H

namespace plusmax {

// Symbols of docs/numerics.md section 1; relative errors are in units of `unit_roundoff`.
struct ErrorShape {
  double unit_roundoff;   // u of the accumulation type: 2^-24 (f32) or 2^-53 (f64)
  double additions;       // h: roundings of additions that any one term passes through, merges included
  double rescales;        // r: changes of the running maximum that any one term can live through
  double exp_relative;    // a: relative error of the exponential <= (a + b |x|) u
  double exp_argument;    // b: its growth with the argument, in natural units of x
  double log_relative;    // l_r: error of the logarithm <= l_r u |log| + l_a
  double log_absolute;    // l_a
  double underflow;       // tau: what one flushed or subnormal exponential can be wrong by, absolutely
};

}  // namespace plusmax
#endif
