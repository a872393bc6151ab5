#include "reference/cross_entropy_work.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

namespace {
GradientCoefficients coefficients_of(const CrossEntropyInput& in, const CrossEntropyRow& row) {
  const double eps = in.options.smoothing, cols = static_cast<double>(in.logits.size());
  GradientCoefficients k;
  k.target = divide(multiply(two_sum(1, -eps), {row.sizes.target_weight, 0}), in.divisors.z);
  if (eps > 0) k.smoothing = divide({eps, 0}, multiply({cols, 0}, in.divisors.z));
  if (in.options.z_loss != 0) {
    k.z_loss = divide(multiply({2 * in.options.z_loss, 0}, row.lse.value), {in.divisors.num_valid, 0});
  }
  return k;
}
}  // namespace

void fill_gradient(Work& w) {
  CrossEntropyRow& row = w.row;
  const CrossEntropySizes& s = row.sizes;
  const GradientCoefficients k = row.coefficients = coefficients_of(w.in, row);
  const DoubleDouble scale = multiply({w.in.upstream, 0}, {w.in.options.logit_scale, 0});
  const DoubleDouble spread = add(multiply(k.smoothing, s.weight_sum), k.z_loss);  // of p, beside the target's
  const DoubleDouble of_weight = multiply(scale, k.smoothing);
  w.kernel.gradient({w.at(kEHi), w.at(kELo)}, {w.at(kSlopeHi), w.at(kSlopeLo)}, w.weights(), w.columns.blocks(),
                    divide({1, 0}, s.sum), multiply(scale, add(k.target, spread)), of_weight, w.at(kP),
                    {w.at(kDxHi), w.at(kDxLo)});
  // The label: p - 1 = -S_x / S, formed without the subtraction.
  const std::size_t y = s.left_out;
  const DoubleDouble missing = negative(multiply(k.target, divide(s.sum_without_target, s.sum)));
  const DoubleDouble rest =
      add(multiply(spread, divide(s.target_term, s.sum)), multiply(k.smoothing, {-s.target_weight, 0}));
  const DoubleDouble core =
      multiply(scale, w.in.options.smoothing > 0 || w.in.options.z_loss != 0 ? add(missing, rest) : missing);
  const DoubleDouble g = multiply(core, {w.at(kSlopeHi)[y], w.at(kSlopeLo)[y]});
  w.at(kDxHi)[y] = g.hi, w.at(kDxLo)[y] = g.lo;

  const auto copied = [&](Array a) { return std::vector<double>(w.at(a), w.at(a) + s.cols); };
  row.gradient_hi = copied(kDxHi), row.gradient_lo = copied(kDxLo);
  row.p = copied(kP), row.z = copied(kZHi), row.slope = copied(kSlopeHi);
}

Certified cross_entropy_gradient(const CrossEntropyInput& in, const CrossEntropyRow& row, std::size_t j) {
  if (row.gradient_class != ValueClass::finite) return {row.gradient_class, {}, 0};
  if (row.gradient_is_zero) return {};
  if (j >= row.gradient_hi.size())
    throw std::invalid_argument("cross_entropy_gradient: column " + std::to_string(j) + " of a gradient of " +
                                std::to_string(row.gradient_hi.size()));
  const CrossEntropySizes& s = row.sizes;
  const GradientCoefficients& k = row.coefficients;
  const double in_z = logit_error(in), m = std::fabs(s.max.hi), p = row.p[j];
  const double weight = in.weights.empty() ? 1 : std::fabs(static_cast<double>(in.weights[j]));
  const double distance = row.z[j] == -std::numeric_limits<double>::infinity() ? 0 : std::fabs(s.max.hi - row.z[j]);
  const double of_sum = s.sum_error / s.sum.hi;
  const double of_e = p == 0 ? 0 : kExpRelativeError + 0x1p-103 * (distance + 1) + in_z * (std::fabs(row.z[j]) + m);
  const double of_z = in.divisors.z_doubt * 0x1p-50;  // Z is a double-double sum, its doubt that of a double's
  const double of_p = 1.01 * (of_e + of_sum) + 0x1p-97 + of_z;
  const double target = std::fabs(k.target.hi), smooth = std::fabs(k.smoothing.hi), z_loss = std::fabs(k.z_loss.hi);
  const double of_lse = z_loss == 0 ? 0 : std::fabs(2 * in.options.z_loss / in.divisors.num_valid) * row.lse.error;
  const bool label = j == s.left_out;
  double core = p * ((label ? 0 : target) + smooth * s.abs_weight + z_loss) * of_p + p * of_lse +
                smooth * weight * (0x1p-97 + of_z) + smooth * s.abs_weight * sum_relative_error(s.cols) * p;
  if (label) {
    const double missing = s.sum_without_target.hi / s.sum.hi;
    core += target * (1.01 * s.sum_without_target_error / s.sum.hi + missing * (1.01 * of_sum + 0x1p-97 + of_z));
  }
  const double scale = std::fabs(in.upstream * in.options.logit_scale), g = std::fabs(row.gradient_hi[j]);
  const bool caps = in.options.softcap > 0;
  const double flushed = scale * (target + smooth * (s.abs_weight + weight) + z_loss) * (caps ? 0x1p-1018 : 0x1p-1020);
  return {ValueClass::finite,
          {row.gradient_hi[j], row.gradient_lo[j]},
          scale * row.slope[j] * core + g * (caps ? 1.01 * kCapSlopeRelativeError + 0x1p-97 : 0x1p-97) + flushed};
}

}  // namespace plusmax::reference
