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

// One element of a matrix product: sum of a_k b_k, the accumulator f32 whatever a and b are. Docs: docs/numerics.md section 3h.
struct ProductShape {
  double unit_roundoff;  // u of the accumulator: 2^-24
  double step_terms;     // b: products that one step adds to the accumulator
  double step_error;     // c: a step is off by c u times the largest magnitude that it meets or leaves
  double ranges;         // R: parts of the sum that start at 0 and are added to the rest when they are done; 1: none
  bool ascending;        // terms in ascending order from step to step, so that every part is a range of neighbours
  double underflow;      // tau: what one step may lose beside that, absolutely
  bool rounds_first;     // to the type of a 16-bit result, before what that holds already is added, and once more after
};

// c of a chain of fused multiply-adds, and of products that are rounded before they are added.
inline constexpr double kFusedStep = 1, kRoundedProductStep = 2;
// c of a tensor core that aligns b products and the accumulator to a power of two not above the largest of them, cuts
// each x bits below the last place of that, adds, and cuts the sum: 2 ((b + 1) 2^-x + 1).
constexpr double tensor_core_step(double step_terms, int extra_bits) {
  double cut = step_terms + 1;
  for (int i = 0; i < extra_bits; ++i) cut /= 2;
  return 2 * (cut + 1);
}

// The products around cross_entropy, `cross_entropy` being what runs on the logits of a chunk.
struct LinearCrossEntropyShape {
  CrossEntropyShape cross_entropy;
  ProductShape logits;  // X W^T over the features
  ProductShape dx;      // dlogits W over the vocab
  ProductShape dw;      // dlogits^T X over the tokens; every chunk is a range
  ProductShape dbias;   // sum of dlogits over the tokens, as a product with ones; every chunk is a range
};

}  // namespace plusmax
#endif
