// A cross_entropy of plain C++ on the machine of fake.hpp that can be told to make one mistake.
#pragma once

#include "properties/operation.hpp"
#include "tests/properties/fake.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace plusmax::properties::fake_cross_entropy {

using Params = plusmax::cross_entropy::Params;

enum class Slip {
  none,
  padding_read,
  ignored_row_read,
  written_beside,
  gradient_has_stride_of_logits,
  rows_matter,
  calls_matter,
  nan_dropped,
  cap_unmasks,
  last_target_missed,
  last_gradient_lost,
  negative_loss,
  small_sum_swallowed,
  p_from_lse,
  first_column_lost,
  classes_less_one,
  forward_differs,
  ignored_counted,
  ignored_gradient_negative,
  weights_sum_forgotten,
  upstream_of_first_row,
  slope_forgotten,
  z_loss_unused,
  backward_ignores_state,
  targets_cut,
  wide_bound
};

inline int calls = 0;

template <Slip kSlip>
class Kernel {
 public:
  explicit Kernel(const Params& p) : p_(p), cols_(p.cols) { count(); }

  Status run() {
    ++calls;
    double ce = 0, z = 0;
    for (std::int64_t r = 0; r < p_.rows; ++r) {
      const Losses row = one_row(r);
      ce += static_cast<double>(row.ce), z += static_cast<double>(row.z);
    }
    if (kSlip == Slip::written_beside && p_.loss_rows) static_cast<float*>(p_.loss_rows)[p_.rows] = 1;
    if (p_.loss) *static_cast<float*>(p_.loss) = static_cast<float>(reduced(ce, z));
    if (p_.num_valid) *p_.num_valid = static_cast<std::int64_t>(valid_);
    if (p_.bad_targets) *p_.bad_targets = static_cast<std::int64_t>(bad_);
    return {};
  }

 private:
  struct Losses {
    float ce = 0, z = 0;
  };
  // What the gradient of a row is made from.
  struct Sums {
    float max, others, target, all;  // m, S_x, e_y, S
    double log_sum;
    bool defined;
  };

  std::int64_t target(std::int64_t r) const {
    const std::int64_t at = r * p_.target_stride;
    if (p_.target_type == PLUSMAX_INT32) return static_cast<const std::int32_t*>(p_.targets)[at];
    const std::int64_t y = static_cast<const std::int64_t*>(p_.targets)[at];
    return kSlip == Slip::targets_cut ? static_cast<std::int32_t>(y) : y;
  }
  bool ignores(std::int64_t y) const { return y == p_.options.ignore_index; }
  bool is_class(std::int64_t y) const { return y >= 0 && y < cols_; }
  double weight(std::int64_t c) const { return p_.weights ? static_cast<double>(p_.weights[c]) : 1; }

  void count() {
    for (std::int64_t r = 0; r < p_.rows; ++r) {
      const std::int64_t y = target(r);
      if (ignores(y)) {
        if (kSlip == Slip::ignored_counted) ++valid_, ++z_;
        continue;
      }
      ++valid_;
      if (is_class(y))
        z_ += weight(y);
      else
        ++bad_;
    }
    for (std::int64_t c = 0; c < cols_; ++c) all_weights_ += kSlip == Slip::weights_sum_forgotten ? 1 : weight(c);
    const bool mean = p_.options.reduction == PLUSMAX_MEAN;
    divisor_ = !mean ? 1 : p_.normalizer ? p_.normalizer[0] : z_;
    row_divisor_ = !mean ? 1 : p_.normalizer ? p_.normalizer[1] : valid_;
  }
  double reduced(double ce, double z) const {
    if (bad_ > 0) return NAN;
    if (p_.options.reduction != PLUSMAX_MEAN) return ce + z;
    if (divisor_ == 0 || row_divisor_ == 0) return p_.options.nan_when_empty ? NAN : 0.0;
    return ce / divisor_ + z / row_divisor_;
  }

  float logit(std::int64_t r, std::int64_t c) const {
    const float x = static_cast<const float*>(p_.logits)[r * p_.row_stride + c];
    return kSlip == Slip::nan_dropped && std::isnan(x) ? -INFINITY : x;
  }
  float value(float x) const {
    const double s = p_.options.logit_scale, c = p_.options.softcap;
    if (c > 0 && (!std::isinf(x) || kSlip == Slip::cap_unmasks))
      return static_cast<float>(c * std::tanh(s * static_cast<double>(x) / c));
    return static_cast<float>(s * static_cast<double>(x));
  }
  double slope(float x) const {
    if (p_.options.softcap == 0 || kSlip == Slip::slope_forgotten) return 1;
    const double e = std::exp(-2 * std::fabs(p_.options.logit_scale * static_cast<double>(x) / p_.options.softcap));
    return 4 * e / ((1 + e) * (1 + e));
  }
  float term(float z, float max) const { return std::exp(std::isinf(max) ? z : z - max); }

  std::vector<float> values(std::int64_t r) const {
    std::vector<float> z;
    for (std::int64_t c = 0; c < cols_; ++c) z.push_back(value(logit(r, c)));
    if (kSlip == Slip::first_column_lost && cols_ > 2) z[0] = -INFINITY;
    if (kSlip == Slip::padding_read && p_.row_stride > cols_ && r + 1 < p_.rows) z[0] += logit(r, cols_) * 0;
    return z;
  }

  // Four chains of floats: the depth that error_shape() states.
  Sums sum(const std::vector<float>& z, std::int64_t r, std::int64_t y) const {
    Sums s{-INFINITY, 0, 0, 0, 0, true};
    for (const float each : z) s.max = std::fmax(s.max, each);
    float chain[4] = {};
    for (std::int64_t c = 0; c < cols_; ++c)
      if (c != y) chain[c % 4] += term(z[static_cast<std::size_t>(c)], s.max);
    s.others = (chain[0] + chain[1]) + (chain[2] + chain[3]);
    if (p_.backward && kSlip != Slip::backward_ignores_state) {
      s.max = static_cast<const float*>(p_.row_state)[2 * r];
      s.others = static_cast<const float*>(p_.row_state)[2 * r + 1];
    } else if (p_.backward) {
      s.others = 1;
    }
    s.target = is_class(y) ? term(z[static_cast<std::size_t>(y)], s.max) : 0;
    s.all = s.others + s.target;
    s.defined = !std::isinf(s.max);
    const bool top = is_class(y) && z[static_cast<std::size_t>(y)] == s.max;
    s.log_sum = static_cast<double>(top && s.defined ? std::log1p(s.others) : std::log(s.all));
    if (kSlip == Slip::small_sum_swallowed) s.log_sum = static_cast<double>(std::log(static_cast<float>(s.all)));
    return s;
  }
  double lse(const Sums& s) const { return s.defined ? static_cast<double>(s.max) + s.log_sum : s.log_sum; }

  double cross_entropy(const std::vector<float>& z, const Sums& s, std::int64_t y) const {
    if (!s.defined || !is_class(y)) return NAN;
    const double eps = p_.options.label_smoothing;
    const auto distance = [&](std::int64_t c) {
      return static_cast<double>(s.max) - static_cast<double>(z[static_cast<std::size_t>(c)]);
    };
    const double own = (1 - eps) * weight(y) * (s.log_sum + distance(y));
    if (eps == 0) return own;
    double apart = 0;
    for (std::int64_t c = 0; c < cols_; ++c) apart += weight(c) * distance(c);
    return own + share() * (all_weights_ * s.log_sum + apart);
  }
  double share() const {
    const bool less = kSlip == Slip::classes_less_one && cols_ > 1;
    return p_.options.label_smoothing / static_cast<double>(less ? cols_ - 1 : cols_);
  }

  Losses one_row(std::int64_t r) {
    const std::int64_t y = target(r);
    if (ignores(y)) {
      store(r, 0, 0, 0, 0, 0, -1);
      if (kSlip == Slip::ignored_row_read && std::isnan(logit(r, 0))) store(r, NAN, 0, 0, 0, 0, -1);
      for (std::int64_t c = 0; c < cols_ && p_.dlogits; ++c)
        *gradient(r, c) = kSlip == Slip::ignored_gradient_negative ? -0.0f : 0.0f;
      return {};
    }
    const std::vector<float> z = values(r);
    std::int64_t best = 0;
    for (std::int64_t c = 0; c < cols_; ++c) {
      const float x = logit(r, c), top = logit(r, best);
      if (!std::isnan(top) && (std::isnan(x) || x > top)) best = c;
    }
    const Sums s = sum(z, r, y);
    Losses losses{static_cast<float>(cross_entropy(z, s, y)), 0};
    if (kSlip == Slip::negative_loss) losses.ce = -losses.ce;
    if (kSlip == Slip::rows_matter && p_.rows > 1) losses.ce = std::nextafter(losses.ce, 0.0f);
    if (kSlip == Slip::calls_matter && calls % 2) losses.ce = std::nextafter(losses.ce, 0.0f);
    if (kSlip == Slip::forward_differs && !p_.dlogits) losses.ce = std::nextafter(losses.ce, 0.0f);
    if (p_.options.z_loss > 0 && kSlip != Slip::z_loss_unused)
      losses.z = static_cast<float>(p_.options.z_loss * lse(s) * lse(s));
    store(r, losses.ce + losses.z, losses.z, static_cast<float>(lse(s)), s.max, s.others, best);
    if (p_.dlogits) differentiate(r, z, s, y);
    return losses;
  }

  void differentiate(std::int64_t r, const std::vector<float>& z, const Sums& s, std::int64_t y) {
    const plusmax::cross_entropy::Options& o = p_.options;
    const bool none = divisor_ == 0 || row_divisor_ == 0, nothing = !s.defined || !is_class(y);
    const std::int64_t from = kSlip == Slip::upstream_of_first_row ? 0 : r * p_.upstream_stride;
    const double u = (p_.upstream ? static_cast<double>(p_.upstream[from]) : 1) * o.logit_scale;
    const double alpha = is_class(y) ? (1 - o.label_smoothing) * weight(y) / divisor_ : 0, beta = share() / divisor_;
    const double gamma = o.z_loss > 0 && kSlip != Slip::z_loss_unused ? 2 * o.z_loss * lse(s) / row_divisor_ : 0;
    const double spread = (o.label_smoothing > 0 ? beta * all_weights_ : 0) + gamma, all = static_cast<double>(s.all);
    const std::int64_t label = kSlip == Slip::last_target_missed && y == cols_ - 1 ? -1 : y;
    std::vector<float> made;
    for (std::int64_t c = 0; c < cols_; ++c) {
      double p = static_cast<double>(term(z[static_cast<std::size_t>(c)], s.max)) / all;
      if (kSlip == Slip::p_from_lse)
        p = std::exp(static_cast<double>(z[static_cast<std::size_t>(c)] - static_cast<float>(lse(s))));
      double g = c == label ? -alpha * static_cast<double>(s.others) / all + spread * p : (alpha + spread) * p;
      if (o.label_smoothing > 0) g -= beta * weight(c);
      if (kSlip == Slip::last_gradient_lost && c == cols_ - 1 && c != y) g = 0;
      made.push_back(static_cast<float>(nothing ? NAN : none ? 0.0 : u * slope(logit(r, c)) * g));
    }
    for (std::int64_t c = 0; c < cols_; ++c) *gradient(r, c) = made[static_cast<std::size_t>(c)];
  }

  float* gradient(std::int64_t r, std::int64_t c) const {
    const std::int64_t stride = kSlip == Slip::gradient_has_stride_of_logits ? p_.row_stride : p_.dlogits_stride;
    return static_cast<float*>(p_.dlogits) + r * stride + c;
  }
  void store(std::int64_t r, float loss, float z_loss, float lse, float max, float others, std::int64_t best) {
    if (p_.backward) return;
    const auto put = [](void* to, std::int64_t at, float value) {
      if (to) static_cast<float*>(to)[at] = value;
    };
    put(p_.loss_rows, r, loss), put(p_.z_loss, r, z_loss), put(p_.lse, r, lse);
    put(p_.row_state, 2 * r, max), put(p_.row_state, 2 * r + 1, others);
    if (p_.argmax) p_.argmax[r] = best;
  }

  const Params& p_;
  std::int64_t cols_;
  double z_ = 0, valid_ = 0, bad_ = 0, all_weights_ = 0, divisor_ = 1, row_divisor_ = 1;
};

template <Slip kSlip>
Status launch(const Params& p, void*, void*) {
  return Kernel<kSlip>(p).run();
}
inline Status supports(const Params&) { return {}; }
inline std::size_t no_workspace(const Params&) { return 0; }
inline double no_bytes(const Params&) { return 0; }

template <Slip kSlip>
CrossEntropyShape error_shape(const Params& p) {
  const double depth = static_cast<double>(p.cols / 4 + 4) * (kSlip == Slip::wide_bound ? 40 : 1);
  CrossEntropyShape shape{};
  shape.sum = {0x1p-24, depth, 0, 2, 1.3, 2, 0, 0x1p-126};
  shape.excl_additions = depth;
  shape.log1p_relative = 2, shape.tanh_relative = 1;
  shape.logit_roundings = p.options.softcap > 0 || p.options.logit_scale != 1 ? 2 : 0;
  shape.cap_slope = CapSlope::exponential, shape.slope_relative = 4;
  shape.smoothing_additions = 1, shape.weight_additions = 1;
  shape.loss_roundings = 3, shape.gradient_roundings = 4;
  shape.reduction_additions = static_cast<double>(p.rows), shape.reduction_roundoff = 0x1p-53;
  return shape;
}

template <Slip kSlip>
inline constexpr KernelVariant<Params> variant = {
    "fake", dtype_bit(PLUSMAX_F32), supports, no_workspace, launch<kSlip>, no_bytes, error_shape<kSlip>};

// A module with one variant that makes one mistake.
template <Slip kSlip>
struct World {
  fake::Machine machine;
  const KernelVariant<Params>* variants[1] = {&variant<kSlip>};
  Module module = made();

  Module made() {
    Module of{};
    of.cross_entropy = variants;
    of.device = &machine;
    return of;
  }
  Record run(std::string_view check, std::string_view line) {
    Subject of = subjects_of(module, "cross_entropy", "").front();
    return run_check(*find_check("cross_entropy", check), parse_case(line), of);
  }
};

}  // namespace plusmax::properties::fake_cross_entropy
