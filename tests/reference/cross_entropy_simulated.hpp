// A kernel of cross_entropy in the form of docs/numerics.md section 8, in f32 or f64 arithmetic, in several orders of
// summation, with functions that err in one direction throughout; and the textbook mistakes, one switch each.
#pragma once

#include "kernels/error_shape.h"
#include "reference/cross_entropy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plusmax::test {

enum class Mistake {
  none,
  lse_minus_target,
  log_of_probability,
  log_of_sum,
  p_minus_one,
  p_from_lse,
  raw_smoothing,
  smoothing_over_cols_minus_1,
  no_smoothing_gradient,
  smoothing_weighs_nothing,
  cap_slope_forgotten,
  scale_after_cap,
  scale_forgotten,
  rough_tanh,
  z_loss_gradient_forgotten,
  z_loss_scaled_by_z,
  upstream_forgotten,
  masked_logit_capped,
  weight_of_wrong_column,
};

template <class T>
struct Results {
  T lse = 0, cross_entropy = 0, z_loss = 0, loss = 0;
  std::vector<T> gradient;
};

// Functions to nearest, then pushed by one number up or down.
template <class T>
struct PushedFunctions {
  int push = 0;  // -1, 0, +1
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  T pushed(T y) const {
    if (push == 0 || !(std::fabs(y) > std::numeric_limits<T>::min() * 64) || !std::isfinite(y)) return y;
    const T away = std::nextafter(y, std::copysign(std::numeric_limits<T>::infinity(), y));
    return push > 0 ? away : std::nextafter(y, T(0));
  }
  T exp(T x) const { return x == 0 ? T(1) : pushed(static_cast<T>(std::exp(static_cast<Wide>(x)))); }
  T log(T x) const { return pushed(static_cast<T>(std::log(static_cast<Wide>(x)))); }
  T log1p(T x) const { return pushed(static_cast<T>(std::log1p(static_cast<Wide>(x)))); }
  T tanh(T x) const { return std::clamp(pushed(static_cast<T>(std::tanh(static_cast<Wide>(x)))), T(-1), T(1)); }
  // Half a spacing of rounding and one of the push, each spacing at most 2 u of the value; long double is within 2^-11
  // u.
  double relative() const { return push == 0 ? 1.001 : 3.001; }
};

template <class T>
struct SimulatedCrossEntropy {
  const char* name;
  int threads;  // column j belongs to thread j mod threads; partial sums meet in a tree
  bool online;  // each thread keeps a running maximum; otherwise the maximum is known beforehand
  CapSlope cap_slope;
  PushedFunctions<T> f;
  Mistake mistake = Mistake::none;
  bool joins = false;  // the label stays out of all sums and comes last, by an exact step to the row's maximum

  struct Partial {
    T max = -std::numeric_limits<T>::infinity(), without = 0, smooth = 0, weight = 0;
  };

  CrossEntropyShape shape(const reference::CrossEntropyInput& in) const {
    const double chain = std::ceil(static_cast<double>(in.logits.size()) / threads),
                 levels = std::ceil(std::log2(threads));
    const double changes = (online ? chain + levels : 0) + (joins ? 1 : 0), e = f.relative();
    const bool scales = in.options.logit_scale != 1, caps = in.options.softcap > 0, smooths = in.options.smoothing > 0;
    CrossEntropyShape s{};
    s.sum = {std::numeric_limits<T>::epsilon() / 2,          chain + levels + 1, changes, e, 0, e, 0,
             std::is_same_v<T, float> ? 0x1p-148 : 0x1p-1073};
    s.excl_additions = chain + levels, s.excl_rescales = changes;
    s.exact_join = joins;
    s.log1p_relative = s.tanh_relative = e;
    s.logit_roundings = (scales ? 1 : 0) + (caps ? 3 : 0);  // s x; 1 / c, times that, c t
    s.cap_slope = cap_slope, s.slope_relative = 4;  // 1 + E twice, its square, the quotient
    // A change of the maximum adds the weights so far times the step: one more addition each time, and those of the
    // weights.
    s.smoothing_additions = smooths ? (online ? 3 : 1) * (chain + levels + (joins ? 2 : 0)) : 0;
    s.weight_additions = in.weights.empty() ? 0 : chain + levels;
    s.loss_roundings = 5;  // eps / V, W log S, + A, their product, + the target's part
    s.gradient_roundings =
        14;  // alpha 5, two additions, u s, times that; 1 / S, e times that, P p, - Q w, times the slope
    s.reduction_additions = 0, s.reduction_roundoff = s.sum.unit_roundoff;
    return s;
  }

  void raise(Partial& p, T max) const {
    if (p.max == max) return;
    if (p.max != -std::numeric_limits<T>::infinity()) {
      p.without *= f.exp(p.max - max);
      p.smooth += p.weight * (max - p.max);
    }
    p.max = max;
  }
  void absorb(Partial& p, T z, T w, bool target, bool smooths) const {
    if (target && joins) return;
    if (z != -std::numeric_limits<T>::infinity()) raise(p, std::max(p.max, z));
    if (!target && p.max != -std::numeric_limits<T>::infinity()) p.without += f.exp(z - p.max);
    if (!smooths) return;
    // -inf - -inf must not be formed: a masked logit is infinitely far from every maximum, the one still to come
    // included.
    p.smooth += w * (z == -std::numeric_limits<T>::infinity() ? -z : p.max - z);
    p.weight += w;
  }
  void merge(Partial& a, Partial b) const {
    const T max = std::max(a.max, b.max);
    raise(a, max), raise(b, max);
    a.without += b.without, a.smooth += b.smooth, a.weight += b.weight;
  }

  // The label's column.
  void join(Partial& p, T z, T w, bool smooths) const {
    const T infinity = std::numeric_limits<T>::infinity(), own = p.max, max = std::max(own, z);
    const T d = own - max, back = d - own, rest = (own - (d - back)) - (max + back), e = f.exp(d);
    p.without *= e == 0 ? e : e + e * rest;
    if (own != max && own != -infinity) p.smooth += p.weight * (max - own);
    p.max = max;
    if (!smooths) return;
    p.smooth += w * (max - z);
    p.weight += w;
  }

  Results<T> run(const reference::CrossEntropyInput& in) const {
    const std::size_t cols = in.logits.size(), y = static_cast<std::size_t>(in.target);
    const T infinity = std::numeric_limits<T>::infinity();
    const T s = mistake == Mistake::scale_forgotten ? T(1) : static_cast<T>(in.options.logit_scale),
            c = static_cast<T>(in.options.softcap);
    const T eps = static_cast<T>(in.options.smoothing), lambda = static_cast<T>(in.options.z_loss),
            v = static_cast<T>(cols);
    const T inverse_cap = c > 0 ? 1 / c : T(0);
    const auto weight = [&](std::size_t j) { return in.weights.empty() ? T(1) : static_cast<T>(in.weights[j]); };
    const auto argument = [&](std::size_t j) {
      const T x = static_cast<T>(in.logits[j]);
      return (s == 1 || mistake == Mistake::scale_after_cap ? x : x * s) * inverse_cap;
    };
    const auto tanh = [&](T a) {
      const T t = f.tanh(a);
      return mistake == Mistake::rough_tanh ? t * (1 + T(0x1p-12)) : t;
    };
    std::vector<T> z(cols);
    for (std::size_t j = 0; j < cols; ++j) {
      const T x = static_cast<T>(in.logits[j]);
      const bool masked = x == -infinity && mistake != Mistake::masked_logit_capped;
      z[j] = masked ? x : c > 0 ? c * tanh(argument(j)) : s == 1 ? x : x * s;
      if (c > 0 && mistake == Mistake::scale_after_cap) z[j] *= s;
    }

    std::vector<Partial> partials(static_cast<std::size_t>(threads));
    if (!online) {
      T max = -infinity;
      for (std::size_t j = 0; j < cols; ++j)
        if (!joins || j != y) max = std::max(max, z[j]);
      for (Partial& p : partials) p.max = max;
    }
    for (std::size_t j = 0; j < cols; ++j) absorb(partials[j % partials.size()], z[j], weight(j), j == y, eps > 0);
    for (std::size_t step = partials.size() / 2; step > 0; step /= 2) {
      for (std::size_t t = 0; t < step; ++t) merge(partials[t], partials[t + step]);
    }
    Partial all = partials[0];
    if (joins) join(all, z[y], weight(y), eps > 0);
    const T m = all.max, target_term = f.exp(z[y] - m), sum = all.without + target_term;
    const bool is_max = z[y] == m && mistake != Mistake::log_of_sum;
    const T log_sum = is_max ? f.log1p(all.without) : f.log(sum), inverse = 1 / sum;
    const T total = in.weights.empty() || mistake == Mistake::smoothing_weighs_nothing ? v : all.weight;

    Results<T> r;
    r.lse = m + log_sum;
    const T wy = weight(mistake == Mistake::weight_of_wrong_column ? (y + 1) % cols : y), of_target = (1 - eps) * wy;
    T nll = log_sum + (m - z[y]);
    if (mistake == Mistake::lse_minus_target) nll = r.lse - z[y];
    if (mistake == Mistake::log_of_probability) nll = -f.log(target_term * inverse);
    r.cross_entropy = of_target * nll;
    const T each = eps / (mistake == Mistake::smoothing_over_cols_minus_1 ? v - 1 : v);
    if (eps > 0 && mistake == Mistake::raw_smoothing) {
      T raw = 0;
      for (std::size_t j = 0; j < cols; ++j) raw += weight(j) * z[j];
      r.cross_entropy += each * (total * r.lse - raw);
    } else if (eps > 0) {
      r.cross_entropy += each * (total * log_sum + all.smooth);
    }
    r.z_loss = lambda == 0 ? T(0) : lambda * (r.lse * r.lse);
    r.loss = lambda == 0 ? r.cross_entropy : r.cross_entropy + r.z_loss;

    const T inverse_z = static_cast<T>(1 / in.divisors.z.hi), inverse_n = static_cast<T>(1 / in.divisors.num_valid);
    const T scale = mistake == Mistake::upstream_forgotten ? s : static_cast<T>(in.upstream) * s;
    const T alpha = of_target * inverse_z, beta = eps == 0 ? T(0) : each * inverse_z;
    T gamma = lambda == 0 || mistake == Mistake::z_loss_gradient_forgotten ? T(0) : 2 * lambda * r.lse * inverse_n;
    if (mistake == Mistake::z_loss_scaled_by_z) gamma = 2 * lambda * r.lse * inverse_z;
    const T spread = beta * total + gamma, of_p = scale * (alpha + spread), of_rest = scale * spread;
    const T of_weight = mistake == Mistake::no_smoothing_gradient ? T(0) : scale * beta;
    r.gradient.resize(cols);
    for (std::size_t j = 0; j < cols; ++j) {
      T p = f.exp(z[j] - m) * inverse;
      if (mistake == Mistake::p_from_lse) p = f.exp(z[j] - r.lse);
      T g = of_p * p - of_weight * weight(j);
      if (j == y && mistake == Mistake::p_minus_one) g -= scale * alpha;
      if (j == y && mistake != Mistake::p_minus_one)
        g = (of_rest * p - of_weight * weight(j)) - (scale * alpha) * (all.without * inverse);
      r.gradient[j] = c > 0 && mistake != Mistake::cap_slope_forgotten ? g * slope(argument(j)) : g;
    }
    return r;
  }

  T slope(T a) const {
    if (cap_slope == CapSlope::one_minus_square) {
      const T t = f.tanh(a);
      return 1 - t * t;
    }
    const T e = f.exp(-2 * std::fabs(a)), d = 1 + e;
    return 4 * e / (d * d);
  }
};

}  // namespace plusmax::test
