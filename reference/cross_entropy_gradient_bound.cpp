// The bound of one gradient element, docs/numerics.md section 3e.
#include "reference/cross_entropy_bound.hpp"
#include "reference/dtype.hpp"
#include "reference/sum_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::reference {

namespace {
struct Sizes {  // of the coefficients, without the factor u s
  double target, smoothing, z_loss;
};

// Of 1 - t^2, absolute: see CapSlope. |d log(1 - tanh(y)^2) / dy| <= 2, and |d (1 - tanh(y)^2) / dy| <= 4 / (3 sqrt 3).
double slope_error(const CrossEntropyInput& in, const CrossEntropyRow& row, const CrossEntropyShape& shape,
                   std::size_t j) {
  if (in.options.softcap == 0) return 0;
  const double of_y = in.logit_errors.empty() ? 0 : in.logit_errors[j] * in.options.logit_scale / in.options.softcap;
  const double moved = of_y == 0 ? 0 : std::min({row.slope[j] * std::expm1(2 * of_y), 0.77 * of_y, 1.0});
  const double u = shape.sum.unit_roundoff, slope = row.slope[j] + moved;
  if (shape.cap_slope == CapSlope::one_minus_square) {
    const double t2 = std::min(1.0, std::max(0.0, 1 - row.slope[j]) + moved),
                 of_t = shape.tanh_relative + shape.logit_roundings;
    return u * ((2 * of_t * (1 + of_t * u) + 1) * t2 + slope) * (1 + 4 * u) + 0x1p-53 + moved;
  }
  const double y = std::fabs(in.logits[j] * in.options.logit_scale / in.options.softcap) + of_y;
  const double twice = std::min(2 * y, largest_distance(shape.sum));
  const double relative =
      u * (shape.sum.exp_relative + twice * (shape.sum.exp_argument + shape.logit_roundings) + shape.slope_relative);
  return slope * relative * (1 + relative) + 4 * shape.sum.underflow + moved;
}

// Before the output's own rounding and without the factor u s slope.
double core_error(const CrossEntropyInput& in, const CrossEntropyRow& row, const CrossEntropyShape& shape,
                  const CrossEntropyBound& b, const Sizes& k, std::size_t j) {
  const CrossEntropySizes& z = row.sizes;
  const double u = shape.sum.unit_roundoff, p = row.p[j] * (1 + 0x1p-50),
               weight = in.weights.empty() ? 1 : std::fabs(static_cast<double>(in.weights[j]));
  const bool masked = std::isinf(in.logits[j]), label = j == z.left_out;
  const double abs_weight = z.abs_weight * (1 + 0x1p-20);
  const double roundings = shape.gradient_roundings * u + in.divisors.z_doubt;

  // p_j: its exponential, the sum, and the rounded logits; a term beyond the largest distance is underflow.
  double of_p = b.sum_relative;
  if (!masked) {
    const double distance = std::min(std::fabs(z.max.hi - row.z[j]), largest_distance(shape.sum));
    of_p += b.second_order * u * ((1 + shape.sum.exp_argument) * (distance + 2 * b.spread) + shape.sum.exp_relative);
    const double move = logit_move(in, row, j) * (1 + b.logit_relative);
    of_p += b.growth * (b.logit_relative * std::fabs(row.z[j]) + b.logit_absolute + move + b.shift);
  }
  of_p *= 1 + of_p;
  of_p += roundings * (1 + of_p);

  const double of_lse =
      in.options.z_loss == 0 ? 0 : std::fabs(2 * in.options.z_loss / in.divisors.num_valid) * b.lse.value;
  double error = p * (((label ? 0 : k.target) + k.smoothing * abs_weight + k.z_loss) * of_p + of_lse * (1 + of_p) +
                      k.smoothing * shape.weight_additions * u * abs_weight * (1 + of_p)) +
                 k.smoothing * weight * roundings;
  if (label) {  // S_x / S
    const double missing = z.sum_without_target.hi / z.sum.hi * (1 + 0x1p-50);
    const double of_sum = b.sum_relative * (1 + b.sum_relative) + roundings;
    error += k.target * (b.without_target / z.sum.hi * (1 + of_sum) + b.growth * missing * of_sum + p * b.nll_shift * b.growth);
  }
  return error;
}
}  // namespace

ResultBound cross_entropy_gradient_bound(const CrossEntropyInput& in, const CrossEntropyRow& row,
                                         const CrossEntropyShape& shape, const CrossEntropyBound& b, std::size_t j,
                                         plusmax_dtype output) {
  if (row.gradient_class != ValueClass::finite || row.gradient_is_zero) return {};
  if (row.unknown) return {.judged = false};
  const GradientCoefficients& exact = row.coefficients;
  const Sizes k{std::fabs(exact.target.hi), std::fabs(exact.smoothing.hi), std::fabs(exact.z_loss.hi)};
  const double u = shape.sum.unit_roundoff, scale = std::fabs(in.upstream * in.options.logit_scale),
               slope = row.slope[j];
  const double core = core_error(in, row, shape, b, k, j);
  const double g = std::fabs(row.gradient_hi[j]) * (1 + 0x1p-50), of_slope = slope_error(in, row, shape, j);

  // A slope of 0 divides nothing: |core| is then bounded by its terms.
  const double weight = in.weights.empty() ? 1 : std::fabs(static_cast<double>(in.weights[j]));
  const double terms = (k.target + k.smoothing * row.sizes.abs_weight + k.z_loss) * row.p[j] + k.smoothing * weight +
                       (j == row.sizes.left_out ? k.target : 0);
  const double exact_core =
      slope > 0x1p-900 ? std::min(terms, g / (slope * std::max(scale, 0x1p-1000)) * (1 + 0x1p-40)) : terms;
  double error = scale * (core * (slope + of_slope) + exact_core * of_slope);
  error *= 1 + 4 * (shape.gradient_roundings + 1) * u;

  const double amplified = b.amplification, tau = shape.sum.underflow;
  error += tau * (shape.gradient_roundings + 2) * amplified + cross_entropy_gradient(in, row, j).error;
  ResultBound r;
  r.unrounded = error * kBoundInflation;
  const double top = u <= 0x1p-40 ? std::numeric_limits<double>::max() : 0x1.fffffep127;
  r.judged = b.lse.judged && amplified <= top;
  const bool rounds_again = precision_bits(output) < precision_bits(result_dtype(output));
  r.value = r.unrounded + (rounds_again ? ulp(output, g + r.unrounded) / 2 : 0);
  return r;
}

}  // namespace plusmax::reference
