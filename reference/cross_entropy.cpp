#include "reference/cross_entropy.hpp"

#include "reference/cross_entropy_work.hpp"

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
  if (!tier_available(tier))
    throw std::invalid_argument(std::string("tier ") + name_of(tier) + " does not run on this CPU");
#ifdef PLUSMAX_X86_TIERS
  if (tier == Tier::avx512) return avx512_cross_entropy_kernel();
  if (tier == Tier::avx2) return avx2_cross_entropy_kernel();
#endif
  return portable_cross_entropy_kernel();
}

Certified of_class(ValueClass c) { return {c, {}, 0}; }

std::int64_t argmax_of(std::span<const double> x) {
  std::size_t best = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (std::isnan(x[j])) return static_cast<std::int64_t>(j);
    if (x[j] > x[best]) best = j;
  }
  return static_cast<std::int64_t>(best);
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
  const double in_z = logit_error(in), m = std::fabs(s.max.hi), cols = static_cast<double>(s.cols),
               eps = in.options.smoothing;
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
    row.cross_entropy.value =
        eps > 0 ? add(multiply(weight, of_target), multiply(each, smooth)) : multiply(weight, of_target);
    const double sums = sum_relative_error(s.cols);
    const double of_nll =
        of_log + 0x1p-103 * of_target.hi + (s.target_is_max ? 0 : 1.01 * in_z * (m + std::fabs(s.target_logit)));
    const double of_smooth = std::fabs(s.weight_sum.hi) * of_log + sums * (s.abs_weight * s.log_sum.hi + s.abs_smooth) +
                             1.01 * in_z * (s.abs_weighted_logit + m * s.abs_weight);
    row.cross_entropy.error =
        std::fabs(weight.hi) * (of_nll + 0x1p-100 * of_target.hi) +
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

// A logit that its scale takes beyond the largest double.
bool leaves_double(const CrossEntropyInput& in) {
  if (in.options.softcap > 0) return false;
  return std::any_of(in.logits.begin(), in.logits.end(),
                     [&](double x) { return std::isfinite(x) && !std::isfinite(x * in.options.logit_scale); });
}

constexpr Certified kUnknown{ValueClass::finite, {}, kInfinity};

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

}  // namespace

CrossEntropyRow cross_entropy(const CrossEntropyInput& in, Outputs outputs) {
  return cross_entropy(in, outputs, best_tier());
}

CrossEntropyRow cross_entropy(const CrossEntropyInput& in, Outputs outputs, Tier tier) {
  return cross_entropy_on(kernel_of(tier), in, outputs);
}

CrossEntropyRow cross_entropy_on(const CrossEntropyKernel& kernel, const CrossEntropyInput& in, Outputs outputs) {
  check_input(in);
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
  } else if (leaves_double(in)) {
    row.unknown = true;
    row.lse = row.cross_entropy = row.z_loss = row.loss = kUnknown;
    return row;
  } else {
    Work w{in, kernel, row, Columns(in.logits.size(), kArrays), in.options.smoothing > 0};
    const double log_error = sum_row(w);
    finite_losses(in, row, log_error);
    if (row.target == TargetClass::out_of_range || std::isnan(in.upstream)) row.gradient_class = ValueClass::nan;
    const bool differentiates = row.gradient_class == ValueClass::finite && !in.divisors.no_gradient;
    if (outputs == Outputs::loss_and_gradient && differentiates) fill_gradient(w);
  }
  row.gradient_is_zero = in.divisors.no_gradient && row.gradient_class == ValueClass::finite;
  return row;
}

Certified cross_entropy_result(const CrossEntropyInput& in, const CrossEntropyRow& row, CrossEntropyQuestion q) {
  switch (q.result) {
    case CrossEntropyResult::lse:
      return row.lse;
    case CrossEntropyResult::cross_entropy:
      return row.cross_entropy;
    case CrossEntropyResult::z_loss:
      return row.z_loss;
    case CrossEntropyResult::loss:
      return row.loss;
    case CrossEntropyResult::gradient:
      return row.unknown ? kUnknown : cross_entropy_gradient(in, row, q.column);
  }
  throw std::invalid_argument("no such result of cross_entropy");
}

}  // namespace plusmax::reference
