// A linear_cross_entropy of plain C++, in f64 throughout, on the machine of fake.hpp and with the plans of the host
// module, that can be told to make one mistake.
#pragma once

#include "kernels/linear_cross_entropy/plan.hpp"
#include "properties/operation.hpp"
#include "tests/properties/fake.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace plusmax::properties::plain_linear_cross_entropy {

using Params = plusmax::linear_cross_entropy::Params;

enum class Slip {
  none,
  label_missed,
  padding_read,
  ignored_token_read,
  written_beside,
  dhidden_has_stride_of_hidden,
  neighbours_matter,
  calls_matter,
  mean_of_chunk,
  last_chunk_alone,
  slices_lose_class,
  last_dhidden_lost,
  first_class_lost,
  last_feature_lost,
  last_gradient_lost,
  weight_leaks,
  bias_twice,
  classes_less_one,
  lse_matters,
  dweight_needs_dhidden,
  ignored_counted,
  ignored_dhidden_negative,
  excess_silent,
  never_added,
  always_added,
  weights_sum_forgotten,
  upstream_of_first_token,
  z_loss_unused,
  targets_cut
};

inline int calls = 0;

template <Slip kSlip>
class Kernel {
 public:
  explicit Kernel(const Params& p) : p_(p), plan_(*p.plan) {}

  Status run() {
    ++calls;
    count();
    for (std::int64_t t = 0; t < p_.tokens; ++t)
      if (ignores(target(t))) leave_out(t, 0);
    const bool excess = valid_ > plan_.rows && kSlip != Slip::excess_silent;
    for (std::int64_t i = 0; i < valid_; ++i)
      if (i < plan_.rows)
        one_token(i, excess);
      else
        leave_out(tokens_[static_cast<std::size_t>(i)], NAN);
    store_sums();
    if (kSlip == Slip::written_beside && p_.loss_rows) p_.loss_rows[p_.tokens] = 1;
    if (p_.loss) *p_.loss = excess ? NAN : static_cast<float>(reduced());
    if (p_.num_valid) *p_.num_valid = valid_;
    if (p_.bad_targets) *p_.bad_targets = bad_;
    if (p_.excess_tokens) *p_.excess_tokens = std::max<std::int64_t>(valid_ - plan_.rows, 0);
    return {};
  }

 private:
  struct Sums {
    double max, others, all, log_sum;  // m, S_x, S, log S
  };

  bool slices() const { return plan_.options.mode != PLUSMAX_TOKEN_CHUNKS; }
  std::int64_t target(std::int64_t t) const {
    const std::int64_t at = t * p_.target_stride;
    if (p_.target_type == PLUSMAX_INT32) return static_cast<const std::int32_t*>(p_.targets)[at];
    const std::int64_t y = static_cast<const std::int64_t*>(p_.targets)[at];
    return kSlip == Slip::targets_cut ? static_cast<std::int32_t>(y) : y;
  }
  bool ignores(std::int64_t y) const { return y == p_.options.ignore_index; }
  bool is_class(std::int64_t y) const { return y >= 0 && y < p_.vocab; }
  double weight_of(std::int64_t c) const { return p_.class_weights ? static_cast<double>(p_.class_weights[c]) : 1; }

  void count() {
    double z = 0, ignored = 0;
    for (std::int64_t t = 0; t < p_.tokens; ++t) {
      const std::int64_t y = target(t);
      if (ignores(y)) {
        ++ignored;
        continue;
      }
      tokens_.push_back(t);
      z += is_class(y) ? weight_of(y) : 0;
      bad_ += !is_class(y);
    }
    valid_ = static_cast<std::int64_t>(tokens_.size());
    for (std::int64_t c = 0; c < p_.vocab; ++c) all_weights_ += kSlip == Slip::weights_sum_forgotten ? 1 : weight_of(c);
    auto rows = static_cast<double>(valid_);
    if (kSlip == Slip::ignored_counted) z += ignored, rows += ignored;
    if (kSlip == Slip::mean_of_chunk && !slices()) z = std::min(z, static_cast<double>(plan_.tile_rows));
    if (p_.options.reduction != PLUSMAX_MEAN) return;
    divisor_ = p_.normalizer ? p_.normalizer[0] : z;
    row_divisor_ = p_.normalizer ? p_.normalizer[1] : rows;
  }
  double reduced() const {
    if (bad_ > 0) return NAN;
    if (p_.options.reduction != PLUSMAX_MEAN) return ce_ + z_;
    if (divisor_ == 0 || row_divisor_ == 0) return p_.options.nan_when_empty ? NAN : 0.0;
    return ce_ / divisor_ + z_ / row_divisor_;
  }

  double x(std::int64_t t, std::int64_t k) const {
    return static_cast<double>(static_cast<const float*>(p_.hidden)[t * p_.hidden_stride + k]);
  }
  double w(std::int64_t j, std::int64_t k) const {
    return static_cast<double>(static_cast<const float*>(p_.weight)[j * p_.weight_stride + k]);
  }
  double logit(std::int64_t t, std::int64_t j) const {
    const std::int64_t last = kSlip == Slip::last_feature_lost && p_.features > 1 ? p_.features - 1 : p_.features;
    double sum = 0;
    for (std::int64_t k = 0; k < last; ++k) sum += x(t, k) * w(j, k);
    if (kSlip == Slip::weight_leaks) sum += 1e-3 * w(j, 0);
    if (kSlip == Slip::padding_read && p_.weight_stride > p_.features && j + 1 < p_.vocab) sum += 0 * w(j, p_.features);
    if (p_.bias)
      sum += (kSlip == Slip::bias_twice ? 2 : 1) * static_cast<double>(static_cast<const float*>(p_.bias)[j]);
    return sum;
  }
  double value(double logit) const {
    const double s = p_.options.logit_scale, c = p_.options.softcap;
    return c > 0 && !std::isinf(logit) ? c * std::tanh(s * logit / c) : s * logit;
  }
  double slope(double logit) const {
    const double c = p_.options.softcap;
    if (c == 0 || std::isinf(logit)) return 1;
    const double cosh = std::cosh(p_.options.logit_scale * logit / c);
    return 1 / (cosh * cosh);
  }

  bool counts(std::int64_t j) const {
    if (kSlip == Slip::first_class_lost) return j > 0 || p_.vocab < 3;
    return kSlip != Slip::slices_lose_class || !slices() || j + 1 < p_.vocab || p_.vocab < 3;
  }
  Sums sum(const std::vector<double>& z, std::int64_t y) const {
    Sums s{-INFINITY, 0, 0, 0};
    for (const double each : z) s.max = std::fmax(s.max, each);
    for (std::int64_t j = 0; j < p_.vocab; ++j)
      if (j != y && counts(j)) s.others += std::exp(z[static_cast<std::size_t>(j)] - s.max);
    const double own = is_class(y) ? std::exp(z[static_cast<std::size_t>(y)] - s.max) : 0;
    s.all = s.others + own;
    s.log_sum = own == 1 ? std::log1p(s.others) : std::log(s.all);
    return s;
  }
  double share() const {
    const bool less = kSlip == Slip::classes_less_one && p_.vocab > 1;
    return p_.options.label_smoothing / static_cast<double>(less ? p_.vocab - 1 : p_.vocab);
  }
  double z_weight() const { return kSlip == Slip::z_loss_unused ? 0 : p_.options.z_loss; }
  double cross_entropy(const std::vector<double>& z, const Sums& s, std::int64_t y) const {
    if (!is_class(y)) return NAN;
    const double eps = p_.options.label_smoothing;
    const auto distance = [&](std::int64_t c) { return s.max - z[static_cast<std::size_t>(c)]; };
    double loss = (1 - eps) * weight_of(y) * (s.log_sum + distance(y));
    for (std::int64_t c = 0; eps > 0 && c < p_.vocab; ++c) loss += share() * weight_of(c) * distance(c);
    if (eps > 0) loss += share() * all_weights_ * s.log_sum;
    return loss;
  }

  void one_token(std::int64_t place, bool excess) {
    const std::int64_t t = tokens_[static_cast<std::size_t>(place)], y = target(t);
    std::vector<double> logits, z;
    std::int64_t best = 0;
    for (std::int64_t j = 0; j < p_.vocab; ++j) {
      logits.push_back(logit(t, j)), z.push_back(value(logits.back()));
      if (static_cast<float>(logits.back()) > static_cast<float>(logits[static_cast<std::size_t>(best)])) best = j;
    }
    const Sums s = sum(z, y);
    const double lse = s.max + s.log_sum, z_loss = z_weight() * lse * lse;
    auto ce = static_cast<float>(cross_entropy(z, s, y));
    const std::int64_t beside = tokens_[static_cast<std::size_t>(place + 1 < valid_ ? place + 1 : 0)];
    const bool nudged = (kSlip == Slip::neighbours_matter && !std::isfinite(x(beside, 0))) ||
                        (kSlip == Slip::calls_matter && calls % 2) || (kSlip == Slip::lse_matters && !p_.lse);
    if (nudged) ce = std::nextafter(ce, 0.0f);
    ce_ += static_cast<double>(ce), z_ += z_loss;
    store(t, static_cast<float>(static_cast<double>(ce) + z_loss), static_cast<float>(z_loss), static_cast<float>(lse),
          best);
    if (wants_gradient(p_)) differentiate(place, logits, z, s, excess);
  }

  void differentiate(std::int64_t place, const std::vector<double>& logits, const std::vector<double>& z, const Sums& s,
                     bool excess) {
    const std::int64_t t = tokens_[static_cast<std::size_t>(place)], y = target(t);
    const plusmax::linear_cross_entropy::Options& o = p_.options;
    const std::int64_t from = kSlip == Slip::upstream_of_first_token ? 0 : t * p_.upstream_stride;
    const double u = (p_.upstream ? static_cast<double>(p_.upstream[from]) : 1) * o.logit_scale;
    const double alpha = is_class(y) ? (1 - o.label_smoothing) * weight_of(y) / divisor_ : 0, beta = share() / divisor_;
    const double spread = beta * all_weights_ + 2 * z_weight() * (s.max + s.log_sum) / row_divisor_;
    const std::int64_t label = kSlip == Slip::label_missed && y == p_.vocab - 1 ? -1 : y;
    std::vector<double> dlogits;
    for (std::int64_t j = 0; j < p_.vocab; ++j) {
      const double p = std::exp(z[static_cast<std::size_t>(j)] - s.max) / s.all;
      double g = j == label ? -alpha * s.others / s.all + spread * p : (alpha + spread) * p;
      g -= beta * weight_of(j);
      if (kSlip == Slip::last_gradient_lost && j + 1 == p_.vocab && j != y) g = 0;
      if (divisor_ == 0 || row_divisor_ == 0) g = 0;
      dlogits.push_back(excess || !is_class(y) ? NAN : g == 0 ? 0 : u * slope(logits[static_cast<std::size_t>(j)]) * g);
    }
    add_products(place, dlogits);
  }

  void add_products(std::int64_t place, const std::vector<double>& dlogits) {
    const std::int64_t t = tokens_[static_cast<std::size_t>(place)];
    const auto features = static_cast<std::size_t>(p_.features);
    dweight_.resize(static_cast<std::size_t>(p_.vocab) * features);
    dbias_.resize(static_cast<std::size_t>(p_.vocab));
    if (kSlip == Slip::last_chunk_alone && !slices() && place % plan_.tile_rows == 0) std::ranges::fill(dweight_, 0);
    std::vector<double> dhidden(features);
    for (std::int64_t j = 0; j < p_.vocab; ++j) {
      const double g = dlogits[static_cast<std::size_t>(j)];
      dbias_[static_cast<std::size_t>(j)] += g;
      for (std::int64_t k = 0; k < p_.features; ++k) {
        dweight_[static_cast<std::size_t>(j * p_.features + k)] += g * x(t, k);
        dhidden[static_cast<std::size_t>(k)] += g * w(j, k);
      }
    }
    if (kSlip == Slip::last_dhidden_lost && place + 1 == valid_) std::ranges::fill(dhidden, 0);
    for (std::int64_t k = 0; p_.dhidden && k < p_.features; ++k)
      *dhidden_at(t, k) = static_cast<float>(dhidden[static_cast<std::size_t>(k)]);
  }

  void store_sums() {
    const bool adds = (p_.add_to_dweight && kSlip != Slip::never_added) || kSlip == Slip::always_added;
    const bool lost = kSlip == Slip::dweight_needs_dhidden && !p_.dhidden;
    const auto put = [&](float* to, double sum) {
      *to = static_cast<float>((adds ? static_cast<double>(*to) : 0) + (lost ? 0 : sum));
    };
    dweight_.resize(static_cast<std::size_t>(p_.vocab * p_.features));
    dbias_.resize(static_cast<std::size_t>(p_.vocab));
    for (std::int64_t j = 0; j < p_.vocab; ++j) {
      for (std::int64_t k = 0; p_.dweight && k < p_.features; ++k)
        put(static_cast<float*>(p_.dweight) + j * p_.dweight_stride + k,
            dweight_[static_cast<std::size_t>(j * p_.features + k)]);
      if (p_.dbias) put(static_cast<float*>(p_.dbias) + j, dbias_[static_cast<std::size_t>(j)]);
    }
  }

  float* dhidden_at(std::int64_t t, std::int64_t k) const {
    const std::int64_t stride = kSlip == Slip::dhidden_has_stride_of_hidden ? p_.hidden_stride : p_.dhidden_stride;
    return static_cast<float*>(p_.dhidden) + t * stride + k;
  }
  void leave_out(std::int64_t t, float value) {
    const bool read = kSlip == Slip::ignored_token_read && std::isnan(x(t, 0));
    store(t, read ? NAN : value, value, value, -1);
    for (std::int64_t k = 0; p_.dhidden && k < p_.features; ++k)
      *dhidden_at(t, k) = kSlip == Slip::ignored_dhidden_negative ? -value : value;
  }
  void store(std::int64_t t, float loss, float z_loss, float lse, std::int64_t best) {
    if (p_.loss_rows) p_.loss_rows[t] = loss;
    if (p_.z_loss) p_.z_loss[t] = z_loss;
    if (p_.lse) p_.lse[t] = lse;
    if (p_.argmax) p_.argmax[t] = best;
  }

  const Params& p_;
  const plusmax::linear_cross_entropy::Plan& plan_;
  std::vector<std::int64_t> tokens_;  // that are not ignored
  std::int64_t valid_ = 0, bad_ = 0;
  double all_weights_ = 0, divisor_ = 1, row_divisor_ = 1, ce_ = 0, z_ = 0;
  std::vector<double> dweight_, dbias_;
};

// What the host's variant of the mode says of a call: the fake is off by less.
inline const KernelVariant<Params>& sound(const Params& p) { return *p.plan->variant; }

template <Slip kSlip>
Status launch(const Params& p, void*, void*) {
  return Kernel<kSlip>(p).run();
}
inline Status supports(const Params& p) { return sound(p).supports(p); }
inline std::size_t no_workspace(const Params&) { return 0; }
inline double no_bytes(const Params&) { return 0; }
inline LinearCrossEntropyShape error_shape(const Params& p) { return sound(p).error_shape(p); }

template <Slip kSlip>
inline constexpr KernelVariant<Params> variants[] = {
    {"token_chunks", dtype_bit(PLUSMAX_F32), supports, no_workspace, launch<kSlip>, no_bytes, error_shape},
    {"vocab_slices", dtype_bit(PLUSMAX_F32), supports, no_workspace, launch<kSlip>, no_bytes, error_shape},
    {"loss_only", dtype_bit(PLUSMAX_F32), supports, no_workspace, launch<kSlip>, no_bytes, error_shape}};

// A module of three modes that make one mistake.
template <Slip kSlip>
struct World {
  fake::Machine machine;
  const KernelVariant<Params>* kernels[3] = {&variants<kSlip>[0], &variants<kSlip>[1], &variants<kSlip>[2]};
  Module module = made();

  Module made() {
    Module of{};
    of.linear_cross_entropy = kernels;
    of.plan_linear_cross_entropy = host_module()->plan_linear_cross_entropy;
    of.device = &machine;
    return of;
  }
  Record run(std::string_view check, std::string_view line, std::string_view variant = "token_chunks") {
    Subject of = subjects_of(module, "linear_cross_entropy", variant).front();
    return run_check(*find_check("linear_cross_entropy", check), parse_case(line), of);
  }
};

}  // namespace plusmax::properties::plain_linear_cross_entropy
