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

// How 1 - tanh(y)^2 is formed: as 1 - t t, whose error is absolute, or as 4 E / (1 + E)^2 with E = exp(-2 |y|), whose error
// is relative.
enum class CapSlope { one_minus_square, exponential };

// The same for cross_entropy. `sum` is the shape of S = sum exp(z_j - m), with its exponential and logarithm; every count
// below is of f32 (f64) roundings, and 0 where the launch does without the step. Docs: docs/numerics.md sections 3d to 3f.
struct CrossEntropyShape {
  ErrorShape sum;
  double excl_additions;       // h_x: as `additions`, of S_x, the sum without the target's column
  double excl_rescales;        // r_x
  bool exact_join;             // S_x comes from its own maximum to the row's by one exponential whose argument is carried to
                               // twice the precision: its distance costs nothing
  double log1p_relative;       // l_1: error of log1p <= l_1 u log1p
  double tanh_relative;        // a_t: relative error of tanh <= a_t u
  double logit_roundings;      // k_z: products and quotients between x and z, beside the tanh; 0 where z = x
  CapSlope cap_slope;
  double slope_relative;       // a_s: what 4 E / (1 + E)^2 is off by in u, beside E
  double smoothing_additions;  // h_A: additions that one term of A = sum w_c (m - z_c) passes through, and those of the
                               //      partial weights that a change of the maximum multiplies
  double weight_additions;     // h_W: additions of one weight into W = sum w_c; 0 where W = cols
  double loss_roundings;       // k_l: products, quotients and sums that a term of the loss passes through after its own sum
  double gradient_roundings;   // k_g: the same for a term of dx_j, from the options to the f32 (f64) value, which a 16-bit
                               //      output rounds once more
  double reduction_additions;  // h_N: additions that a row's loss passes through in the reduced loss
  double reduction_roundoff;   // u_N: 2^-24 or 2^-53, of those additions
};

}  // namespace plusmax
#endif
