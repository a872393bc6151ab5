#include "reference/cross_entropy.hpp"

#include "reference/cross_entropy_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const CrossEntropyKernel& kernel_of(Tier tier) {
  if (!tier_available(tier)) throw std::invalid_argument(std::string("tier ") + name_of(tier) + " does not run on this CPU");
#ifdef PLUSMAX_X86_TIERS
  if (tier == Tier::avx512) return avx512_cross_entropy_kernel();
  if (tier == Tier::avx2) return avx2_cross_entropy_kernel();
#endif
  return portable_cross_entropy_kernel();
}

DoubleDouble negative(DoubleDouble a) { return {-a.hi, -a.lo}; }
DoubleDouble product(double a, double b) { return multiply({a, 0}, {b, 0}); }
Certified of_class(ValueClass c) { return {c, {}, 0}; }

// Padded columns of one row.
class Columns {
 public:
  Columns(std::size_t cols, std::size_t arrays) : padded_((cols + kChains - 1) / kChains * kChains), memory_(arrays * padded_) {}
  double* operator[](std::size_t array) { return memory_.data() + array * padded_; }
  std::size_t blocks() const { return padded_ / kChains; }

 private:
  std::size_t padded_;
  std::vector<double> memory_;
};
enum Array : std::size_t { kX, kZHi, kZLo, kSlopeHi, kSlopeLo, kEHi, kELo, kWeights, kP, kDxHi, kDxLo, kArrays };

// What every step below shares.
struct Work {
  const CrossEntropyInput& in;
  const CrossEntropyKernel& kernel;
  CrossEntropyRow& row;
  Columns columns;
  bool smooths;

  double* at(Array a) { return columns[a]; }
  const double* weights() { return smooths ? at(kWeights) : nullptr; }
  DoubleDouble z(std::size_t j) { return {at(kZHi)[j], at(kZLo)[j]}; }
};

std::int64_t argmax_of(std::span<const double> x) {
  std::size_t best = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (std::isnan(x[j])) return static_cast<std::int64_t>(j);
    if (x[j] > x[best]) best = j;
  }
  return static_cast<std::int64_t>(best);
}

void fill_columns(Work& w) {
  const std::size_t cols = w.in.logits.size(), padded = w.columns.blocks() * kChains;
  std::copy(w.in.logits.begin(), w.in.logits.end(), w.at(kX));
  std::fill(w.at(kX) + cols, w.at(kX) + padded, -kInfinity);
  if (w.smooths) {
    for (std::size_t j = 0; j < cols; ++j) w.at(kWeights)[j] = w.in.weights.empty() ? 1 : static_cast<double>(w.in.weights[j]);
  }
  w.kernel.logits(w.at(kX), w.columns.blocks(), w.in.options.logit_scale, w.in.options.softcap, exp_tables(),
                  {w.at(kZHi), w.at(kZLo)}, {w.at(kSlopeHi), w.at(kSlopeLo)});
}

// A double-double logit is off by this, relative: without a cap the product s x is exact.
double logit_error(const CrossEntropyInput& in) { return in.options.softcap > 0 ? kTanhRelativeError : 0; }

double plain_sum(const double (&chain)[kChains]) {
  double sum = 0;
  for (const double c : chain) sum += c;
  return sum;
}
DoubleDouble pair_sum(const double (&hi)[kChains], const double (&lo)[kChains]) {
  DoubleDouble sum;
  for (std::size_t c = 0; c < kChains; ++c) sum = add(sum, two_sum(hi[c], lo[c]));
  return sum;
}

// The sums over the row, and what one column that was left out of them adds back.
void sum_columns(Work& w, std::size_t left_out) {
  CrossEntropySizes& s = w.row.sizes;
  const std::size_t top = static_cast<std::size_t>(w.row.argmax);
  s.cols = w.in.logits.size();
  s.left_out = left_out;
  s.max = w.z(top);
  CrossEntropySums sums;
  w.kernel.sums({w.at(kZHi), w.at(kZLo)}, w.weights(), w.columns.blocks(), left_out, s.max, exp_tables(),
                {w.at(kEHi), w.at(kELo)}, sums);
  s.sum_without_target = pair_sum(sums.sum_hi, sums.sum_lo);
  s.distance_without_target = plain_sum(sums.distance);
  s.magnitude_without_target = plain_sum(sums.magnitude);

  const DoubleDouble z = w.z(left_out);
  const double weight = w.in.weights.empty() ? 1 : static_cast<double>(w.in.weights[left_out]);
  s.target_logit = z.hi;
  s.target_weight = weight;
  const bool masked = !std::isfinite(s.max.hi - z.hi);  // or farther below the maximum than the largest double
  s.target_distance = masked ? DoubleDouble{kInfinity, 0} : add(s.max, negative(z));
  if (s.target_distance.hi < 0) s.target_distance = {};
  s.target_term = masked ? DoubleDouble{} : exp(negative(s.target_distance));
  s.target_is_max = s.target_distance.hi == 0;
  w.at(kEHi)[left_out] = s.target_term.hi, w.at(kELo)[left_out] = s.target_term.lo;
  if (w.smooths) {
    s.weight_sum = add(pair_sum(sums.weight_hi, sums.weight_lo), {weight, 0});
    s.smooth_sum = add(pair_sum(sums.smooth_hi, sums.smooth_lo), multiply({weight, 0}, s.target_distance));
    s.abs_weight = plain_sum(sums.abs_weight) + std::fabs(weight);
    s.abs_smooth = plain_sum(sums.abs_smooth) + std::fabs(weight) * s.target_distance.hi;
    s.abs_weighted_logit = plain_sum(sums.abs_weighted_logit) + std::fabs(weight * z.hi);
  }
  for (std::size_t j = 0; j < s.cols; ++j) {
    if (w.in.logits[j] == -kInfinity) continue;
    s.largest_logit = std::max(s.largest_logit, std::fabs(w.at(kZHi)[j]));
    s.largest_scaled = std::max(s.largest_scaled, std::fabs(w.in.logits[j] * w.in.options.logit_scale));
  }
}

// docs/numerics.md section 4.8. A cap so large that its own error moves an exponential by 2^-10 leaves nothing certified.
void certify_sums(const CrossEntropyInput& in, CrossEntropySizes& s) {
  const double in_z = logit_error(in), cols = static_cast<double>(s.cols);
  const double m = std::fabs(s.max.hi), dropped = s.cols == 1 ? 0 : cols * 0x1p-1021;
  const bool certain = in_z * s.largest_logit < 0x1p-11;
  const double without = s.sum_without_target.hi;
  const double in_exponents = in_z == 0 ? 0 : in_z * (s.magnitude_without_target + m * without);
  s.sum_without_target_error = 1.01 * (without * sum_relative_error(s.cols) + 0x1p-103 * s.distance_without_target +
                                       in_exponents) + dropped;
  const double of_target = s.target_is_max || s.target_term.hi == 0
                               ? 0
                               : 1.01 * s.target_term.hi * (kExpRelativeError + 0x1p-103 * s.target_distance.hi +
                                                            in_z * (std::fabs(s.target_logit) + m)) + 0x1p-1021;
  s.sum_error = s.sum_without_target_error + of_target + 0x1p-103 * s.sum.hi;
  if (!certain) s.sum_without_target_error = s.sum_error = kInfinity;
}

// log S, as log1p(S_x) where S_x is all but the largest term, so that it keeps its relative accuracy.
double log_of_sum(CrossEntropySizes& s) {
  s.sum = add(s.sum_without_target, s.target_term);
  DoubleDouble rest = s.target_is_max ? s.sum_without_target : add(s.sum, {-1, 0});
  if (rest.hi < 0) rest = {};
  s.log_sum = rest.hi == 0 ? DoubleDouble{} : log1p(rest);
  if (rest.hi == 0) return 0;
  return std::min(kLogAbsoluteError + 0x1p-102 * s.log_sum.hi, 0x1p-64 * s.log_sum.hi);
}

// The class of A = sum w (m - z): what logits of -inf make of it, by the rules of IEEE arithmetic.
double class_of_smoothing(const CrossEntropyInput& in) {
  double sum = 0;
  for (std::size_t j = 0; j < in.logits.size(); ++j) {
    if (in.logits[j] == -kInfinity) sum += (in.weights.empty() ? 1 : static_cast<double>(in.weights[j])) * kInfinity;
  }
  return sum;
}

void finite_losses(const CrossEntropyInput& in, CrossEntropyRow& row, double log_error) {
  const CrossEntropySizes& s = row.sizes;
  const double in_z = logit_error(in), m = std::fabs(s.max.hi), cols = static_cast<double>(s.cols), eps = in.options.smoothing;
  row.lse = {ValueClass::finite, add(s.max, s.log_sum), 0};
  const double of_sum = s.target_is_max ? s.sum_without_target_error / (1 + s.sum_without_target.hi) : s.sum_error;
  const double of_log = 1.01 * (log_error + of_sum);
  row.lse.error = of_log + 1.01 * (in_z * m) + (s.log_sum.hi == 0 ? 0 : 0x1p-103 * std::fabs(row.lse.value.hi));

  if (in.options.z_loss != 0) {
    const double lambda = in.options.z_loss, lse = std::fabs(row.lse.value.hi), size = std::fabs(lambda) * lse * lse;
    row.z_loss.value = multiply({lambda, 0}, multiply(row.lse.value, row.lse.value));
    row.z_loss.error = std::fabs(lambda) * row.lse.error * (2.01 * lse + row.lse.error) + 0x1p-100 * size;
    if (!std::isfinite(row.z_loss.value.hi)) row.z_loss = {classify(lambda), {lambda, 0}, 0};
  }
  if (row.target == TargetClass::out_of_range) {
    row.cross_entropy = row.loss = of_class(ValueClass::nan);
    return;
  }

  const DoubleDouble weight = multiply(two_sum(1, -eps), {s.target_weight, 0}), each = divide({eps, 0}, {cols, 0});
  const double infinite = eps > 0 ? class_of_smoothing(in) : 0;
  const double nll = s.target_distance.hi;
  const double whole_class = (nll == kInfinity ? weight.hi * nll : 0) + (eps > 0 ? infinite : 0);
  row.cross_entropy.value_class = classify(whole_class);
  if (row.cross_entropy.value_class == ValueClass::finite) {
    const DoubleDouble of_target = add(s.log_sum, s.target_distance);
    const DoubleDouble smooth = add(multiply(s.weight_sum, s.log_sum), s.smooth_sum);
    row.cross_entropy.value = eps > 0 ? add(multiply(weight, of_target), multiply(each, smooth)) : multiply(weight, of_target);
    const double sums = sum_relative_error(s.cols);
    const double of_nll = of_log + 0x1p-103 * of_target.hi + (s.target_is_max ? 0 : 1.01 * in_z * (m + std::fabs(s.target_logit)));
    const double of_smooth = std::fabs(s.weight_sum.hi) * of_log + sums * (s.abs_weight * s.log_sum.hi + s.abs_smooth) +
                             1.01 * in_z * (s.abs_weighted_logit + m * s.abs_weight);
    row.cross_entropy.error = std::fabs(weight.hi) * (of_nll + 0x1p-100 * of_target.hi) +
                              (eps > 0 ? each.hi * (of_smooth + 0x1p-98 * (s.abs_weight * s.log_sum.hi + s.abs_smooth)) : 0);
    // Beyond the largest double somewhere: nothing is known.
    if (!std::isfinite(row.cross_entropy.value.hi)) row.cross_entropy = {ValueClass::finite, {}, kInfinity};
  }
  const double z_class = row.z_loss.value_class == ValueClass::finite ? 0 : row.z_loss.value.hi;
  row.loss.value_class = classify(whole_class + z_class);
  if (row.loss.value_class != ValueClass::finite) return;
  row.loss.value = add(row.cross_entropy.value, row.z_loss.value);
  row.loss.error = row.cross_entropy.error + row.z_loss.error + 0x1p-103 * std::fabs(row.loss.value.hi);
}

// NaN, +inf and nothing but -inf: docs/numerics.md section 7.
void special_row(const CrossEntropyInput& in, CrossEntropyRow& row, ValueClass lse) {
  row.lse = of_class(lse);
  row.cross_entropy = row.loss = of_class(ValueClass::nan);
  if (in.options.z_loss != 0) {
    const double of_lse = lse == ValueClass::nan ? kNan : kInfinity;
    row.z_loss = {classify(in.options.z_loss * of_lse), {in.options.z_loss * of_lse, 0}, 0};
  }
  row.gradient_class = ValueClass::nan;
}

void fill_gradient(Work& w) {
  CrossEntropyRow& row = w.row;
  const CrossEntropySizes& s = row.sizes;
  const GradientCoefficients k = gradient_coefficients(w.in, row);
  const DoubleDouble scale = product(w.in.upstream, w.in.options.logit_scale);
  const DoubleDouble spread = add(multiply(k.smoothing, s.weight_sum), k.z_loss);  // of p, beside the target's
  const DoubleDouble of_weight = multiply(scale, k.smoothing);
  w.kernel.gradient({w.at(kEHi), w.at(kELo)}, {w.at(kSlopeHi), w.at(kSlopeLo)}, w.weights(), w.columns.blocks(),
                    divide({1, 0}, s.sum), multiply(scale, add(k.target, spread)), of_weight, w.at(kP),
                    {w.at(kDxHi), w.at(kDxLo)});
  // The label: p - 1 = -S_x / S, formed without the subtraction.
  const std::size_t y = s.left_out;
  const DoubleDouble missing = negative(multiply(k.target, divide(s.sum_without_target, s.sum)));
  const DoubleDouble rest = add(multiply(spread, divide(s.target_term, s.sum)), multiply(k.smoothing, {-s.target_weight, 0}));
  const DoubleDouble core = multiply(scale, w.in.options.smoothing > 0 || w.in.options.z_loss != 0 ? add(missing, rest) : missing);
  const DoubleDouble g = multiply(core, {w.at(kSlopeHi)[y], w.at(kSlopeLo)[y]});
  w.at(kDxHi)[y] = g.hi, w.at(kDxLo)[y] = g.lo;

  const auto copied = [&](Array a) { return std::vector<double>(w.at(a), w.at(a) + s.cols); };
  row.gradient_hi = copied(kDxHi), row.gradient_lo = copied(kDxLo);
  row.p = copied(kP), row.z = copied(kZHi), row.slope = copied(kSlopeHi);
}
}  // namespace

void check_input(const CrossEntropyInput& in) {
  const CrossEntropyOptions& o = in.options;
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("cross_entropy: " + what); };
  if (in.logits.empty()) refuse("a row without columns has no loss");
  if (!in.weights.empty() && in.weights.size() != in.logits.size()) {
    refuse(std::to_string(in.weights.size()) + " weights for " + std::to_string(in.logits.size()) + " columns");
  }
  if (!(o.smoothing >= 0 && o.smoothing < 1)) refuse("smoothing " + std::to_string(o.smoothing) + " is not in [0, 1)");
  if (!std::isfinite(o.z_loss)) refuse("z_loss " + std::to_string(o.z_loss) + " is not finite");
  if (!(o.softcap >= 0 && std::isfinite(o.softcap))) refuse("softcap " + std::to_string(o.softcap) + " is negative or not finite");
  if (std::isinf(in.upstream)) refuse("an infinite upstream gradient has no reference");
  for (const float w : in.weights) {
    if (!std::isfinite(w)) refuse("a weight of " + std::to_string(w) + " has no reference");
  }
  if (!(o.logit_scale > 0 && std::isfinite(o.logit_scale))) refuse("logit_scale " + std::to_string(o.logit_scale) + " is not positive and finite");
}

TargetClass target_class(const CrossEntropyInput& in) {
  if (in.target == in.ignore_index) return TargetClass::ignored;
  const bool inside = in.target >= 0 && static_cast<std::uint64_t>(in.target) < in.logits.size();
  return inside ? TargetClass::counted : TargetClass::out_of_range;
}

GradientCoefficients gradient_coefficients(const CrossEntropyInput& in, const CrossEntropyRow& row) {
  const double eps = in.options.smoothing, cols = static_cast<double>(in.logits.size());
  GradientCoefficients k;
  k.target = divide(multiply(two_sum(1, -eps), {row.sizes.target_weight, 0}), in.divisors.z);
  if (eps > 0) k.smoothing = divide({eps, 0}, multiply({cols, 0}, in.divisors.z));
  if (in.options.z_loss != 0) {
    k.z_loss = divide(multiply({2 * in.options.z_loss, 0}, row.lse.value), {in.divisors.num_valid, 0});
  }
  return k;
}

CrossEntropyRow cross_entropy(const CrossEntropyInput& in, Outputs outputs) { return cross_entropy(in, outputs, best_tier()); }

CrossEntropyRow cross_entropy(const CrossEntropyInput& in, Outputs outputs, Tier tier) {
  check_input(in);
  const CrossEntropyKernel& kernel = kernel_of(tier);
  CrossEntropyRow row;
  row.target = target_class(in);
  if (row.target == TargetClass::ignored) {
    row.gradient_is_zero = true;  // everything else of {} is 0 already
    return row;
  }
  row.argmax = argmax_of(in.logits);
  const ValueClass lse = classify(in.logits[static_cast<std::size_t>(row.argmax)]);
  if (lse != ValueClass::finite) {
    special_row(in, row, lse);
  } else {
    Work w{in, kernel, row, Columns(in.logits.size(), kArrays), in.options.smoothing > 0};
    fill_columns(w);
    sum_columns(w, static_cast<std::size_t>(row.target == TargetClass::counted ? in.target : row.argmax));
    const double log_error = log_of_sum(row.sizes);
    certify_sums(in, row.sizes);
    finite_losses(in, row, log_error);
    if (row.target == TargetClass::out_of_range || std::isnan(in.upstream)) row.gradient_class = ValueClass::nan;
    if (outputs == Outputs::loss_and_gradient && row.gradient_class == ValueClass::finite && !in.divisors.no_gradient) fill_gradient(w);
  }
  row.gradient_is_zero = in.divisors.no_gradient && row.gradient_class == ValueClass::finite;
  return row;
}

Certified cross_entropy_gradient(const CrossEntropyInput& in, const CrossEntropyRow& row, std::size_t j) {
  if (row.gradient_class != ValueClass::finite) return of_class(row.gradient_class);
  if (row.gradient_is_zero) return {};
  if (j >= row.gradient_hi.size()) throw std::invalid_argument("cross_entropy_gradient: column " + std::to_string(j) + " of a gradient of " + std::to_string(row.gradient_hi.size()));
  const CrossEntropySizes& s = row.sizes;
  const GradientCoefficients k = gradient_coefficients(in, row);
  const double in_z = logit_error(in), m = std::fabs(s.max.hi), p = row.p[j];
  const double weight = in.weights.empty() ? 1 : std::fabs(static_cast<double>(in.weights[j]));
  const double distance = row.z[j] == -kInfinity ? 0 : std::fabs(s.max.hi - row.z[j]);
  const double of_sum = s.sum_error / s.sum.hi;
  const double of_e = p == 0 ? 0 : kExpRelativeError + 0x1p-103 * (distance + 1) + in_z * (std::fabs(row.z[j]) + m);
  const double of_z = in.divisors.z_doubt * 0x1p-50;  // Z is a double-double sum, its doubt that of a double's
  const double of_p = 1.01 * (of_e + of_sum) + 0x1p-97 + of_z;
  const double target = std::fabs(k.target.hi), smooth = std::fabs(k.smoothing.hi), z_loss = std::fabs(k.z_loss.hi);
  const double of_lse = z_loss == 0 ? 0 : std::fabs(2 * in.options.z_loss / in.divisors.num_valid) * row.lse.error;
  const bool label = j == s.left_out;
  double core = p * ((label ? 0 : target) + smooth * s.abs_weight + z_loss) * of_p + p * of_lse + smooth * weight * (0x1p-97 + of_z) +
                smooth * s.abs_weight * sum_relative_error(s.cols) * p;
  if (label) {
    const double missing = s.sum_without_target.hi / s.sum.hi;
    core += target * (1.01 * s.sum_without_target_error / s.sum.hi + missing * (1.01 * of_sum + 0x1p-97 + of_z));
  }
  const double scale = std::fabs(in.upstream * in.options.logit_scale), g = std::fabs(row.gradient_hi[j]);
  const bool caps = in.options.softcap > 0;
  const double flushed = scale * (target + smooth * (s.abs_weight + weight) + z_loss) * (caps ? 0x1p-1018 : 0x1p-1020);
  return {ValueClass::finite, {row.gradient_hi[j], row.gradient_lo[j]},
          scale * row.slope[j] * core + g * (caps ? 1.01 * kCapSlopeRelativeError + 0x1p-97 : 0x1p-97) + flushed};
}

}  // namespace plusmax::reference
