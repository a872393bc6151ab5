// The oracle of cross_entropy over any multiprecision type; included by one translation unit per backend.
//
// Errors, each doubled for second order, with eps = 2^-bits and functions good to `ulps` eps (docs/numerics.md
// section 4.9): a capped logit is off by (ulps + 6) eps |z|, an uncapped one is exact; an exponential by (ulps + bits +
// 66) eps and by twice the largest logit's error, relatively; the sum by cols eps more; everything after it adds what
// its operations do.
#pragma once

#include "reference/cross_entropy_oracle.hpp"
#include "reference/oracle_impl.hpp"

#include <utility>
#include <vector>

namespace plusmax::reference {
namespace {

template <class R>
R real(DoubleDouble x) {
  return R(x.hi) + x.lo;
}

template <class R>
struct Value {
  R value = 0, error = 0;
};

// One row. Columns whose logit is -inf are kept with p = 0.
template <class R>
class OracleRowOf {
 public:
  OracleRowOf(const CrossEntropyInput& in, unsigned bits, unsigned ulps)
      : OracleRowOf(in, {in.logits.begin(), in.logits.end()}, bits, ulps) {}

  // On logits that no double holds; those of `in` are they, rounded.
  OracleRowOf(const CrossEntropyInput& in, std::vector<R> logits, unsigned bits, unsigned ulps)
      : in_(in), eps_(ldexp(R(1), -static_cast<int>(bits))), ulps_(ulps), z_(std::move(logits)) {
    const std::size_t cols = in.logits.size();
    slope_.assign(cols, R(1)), e_.assign(cols, R(0));
    const auto top = std::max_element(in.logits.begin(), in.logits.end());
    if (!std::isfinite(*top)) throw std::invalid_argument("the oracle computes finite rows only");
    for (std::size_t j = 0; j < cols; ++j) {
      if (!masked(j)) cap(j);
    }
    const R max = z_[static_cast<std::size_t>(top - in.logits.begin())];
    const R lowest = -static_cast<double>(bits) - 64;
    for (std::size_t j = 0; j < cols; ++j) {
      if (masked(j)) continue;
      const R d = z_[j] - max;
      if (d >= lowest) e_[j] = exp(d);
      sum_ += e_[j];
      if (abs(z_[j]) > largest_) largest_ = abs(z_[j]);
    }
    of_e_ = 2 * eps_ * (R(ulps + bits + 66) + 2 * logit_ulps() * largest_);
    of_sum_ = of_e_ + 2 * eps_ * static_cast<double>(cols + 2);
    const R log_sum = log(sum_);
    lse_ = {max + log_sum, 0};
    lse_.error = 2 * (of_sum_ + eps_ * (ulps * log_sum + abs(lse_.value) + logit_ulps() * abs(max)));
    smooth();
  }

  Value<R> lse() const { return lse_; }
  Value<R> z_loss() const {
    const R lambda = in_.options.z_loss, square = lse_.value * lse_.value;
    return {lambda * square,
            2 * abs(lambda) * (2 * abs(lse_.value) * lse_.error + lse_.error * lse_.error + 3 * eps_ * square)};
  }
  Value<R> cross_entropy() const {
    const std::size_t y = static_cast<std::size_t>(in_.target);
    const R factor = (1 - R(in_.options.smoothing)) * weight(y), nll = lse_.value - z_[y];
    Value<R> v{factor * nll, 2 * abs(factor) * (of_nll(y) + 4 * eps_ * abs(nll))};
    if (in_.options.smoothing > 0) {
      const R each = R(in_.options.smoothing) / static_cast<double>(cols());
      v.value += each * smooth_sum_;
      v.error += 2 * (each * (smooth_error_ + 4 * eps_ * smooth_size_) + eps_ * abs(v.value));
    }
    return v;
  }
  Value<R> loss() const {
    const Value<R> a = cross_entropy(), b = z_loss();
    return {a.value + b.value, a.error + b.error + 2 * eps_ * abs(a.value + b.value)};
  }

  Value<R> gradient(std::size_t j) const {
    if (in_.divisors.no_gradient) return {};
    const std::size_t y = static_cast<std::size_t>(in_.target);
    const R z = real<R>(in_.divisors.z), scale = R(in_.upstream) * in_.options.logit_scale, p = e_[j] / sum_;
    const R target = (1 - R(in_.options.smoothing)) * weight(y) / z;
    const R each = R(in_.options.smoothing) / (static_cast<double>(cols()) * z);
    const R of_lse = 2 * R(in_.options.z_loss) / in_.divisors.num_valid, z_loss = of_lse * lse_.value;
    const R one = j == y ? 1 : 0;
    const R core = target * (p - one) + each * (weight_sum_ * p - weight(j)) + z_loss * p;
    const R left_out = e_[j] == 0 && !masked(j) ? ldexp(eps_, -64) : R(0);  // below exp(lowest)
    const R of_p = p * (2 * of_sum_ + 8 * eps_) + left_out;
    const R size = abs(target) * (p + one) + abs(each) * (weight_size_ * p + abs(weight(j))) + abs(z_loss) * p;
    const R of_core = (abs(target) + abs(each) * weight_size_ + abs(z_loss)) * of_p +
                      abs(of_lse) * lse_.error * (p + of_p) + size * (16 + static_cast<double>(cols())) * eps_;
    const R of_slope = in_.options.softcap > 0 ? R(2 * (logit_ulps() + 4) * eps_) : R(0);
    return {scale * core * slope_[j],
            2 * abs(scale) * (of_core * (slope_[j] + of_slope) + abs(core) * of_slope + 4 * eps_ * abs(core))};
  }

 private:
  std::size_t cols() const { return in_.logits.size(); }
  bool masked(std::size_t j) const { return std::isinf(in_.logits[j]); }
  R weight(std::size_t j) const { return in_.weights.empty() ? R(1) : R(in_.weights[j]); }
  double logit_ulps() const { return in_.options.softcap > 0 ? ulps_ + 6.0 : 0.0; }
  R of_nll(std::size_t j) const { return lse_.error + logit_ulps() * eps_ * abs(z_[j]); }

  void cap(std::size_t j) {
    z_[j] *= in_.options.logit_scale;
    if (in_.options.softcap == 0) return;
    const R t = tanh(R(z_[j] / in_.options.softcap));
    z_[j] = in_.options.softcap * t;
    slope_[j] = 1 - t * t;
  }

  void smooth() {
    for (std::size_t j = 0; j < cols(); ++j) {
      const R w = weight(j);
      weight_sum_ += w;
      weight_size_ += abs(w);
      if (masked(j)) {
        if (in_.options.softcap > 0) slope_[j] = 0;
        continue;
      }
      const R term = w * (lse_.value - z_[j]);
      smooth_sum_ += term;
      smooth_size_ += abs(term);
      smooth_error_ += abs(w) * of_nll(j);
    }
    smooth_error_ += eps_ * static_cast<double>(cols() + 2) * smooth_size_;
  }

  const CrossEntropyInput& in_;
  R eps_;
  unsigned ulps_;
  std::vector<R> z_, slope_, e_;
  R sum_ = 0, largest_ = 0, of_e_ = 0, of_sum_ = 0;
  R weight_sum_ = 0, weight_size_ = 0, smooth_sum_ = 0, smooth_size_ = 0, smooth_error_ = 0;
  Value<R> lse_;
};

template <class R>
Certified rounded(const Value<R>& v) {
  const DoubleDouble value = to_double_double(v.value);
  return {ValueClass::finite, value,
          1.01 * v.error.template convert_to<double>() + 0x1p-105 * std::fabs(value.hi) + 0x1p-1070};
}

template <class R>
CrossEntropyOracleRow rounded_row(const OracleRowOf<R>& row) {  // without its gradient
  return {rounded(row.lse()), rounded(row.cross_entropy()), rounded(row.z_loss()), rounded(row.loss()), {}};
}

template <class R>
Value<R> answer(const OracleRowOf<R>& row, CrossEntropyQuestion q) {
  switch (q.result) {
    case CrossEntropyResult::lse:
      return row.lse();
    case CrossEntropyResult::cross_entropy:
      return row.cross_entropy();
    case CrossEntropyResult::z_loss:
      return row.z_loss();
    case CrossEntropyResult::loss:
      return row.loss();
    case CrossEntropyResult::gradient:
      return row.gradient(q.column);
  }
  throw std::invalid_argument("no such result of cross_entropy");
}

template <template <unsigned> class Type, unsigned Ulps, unsigned Step>
struct CrossEntropyBackend {
  static CrossEntropyOracleRow row(const CrossEntropyInput& in, unsigned bits, Outputs outputs) {
    return at_precision<Type, Step>(bits, [&]<class R>(unsigned b) {
      const OracleRowOf<R> of(in, b, Ulps);
      CrossEntropyOracleRow r = rounded_row(of);
      const std::size_t cols = outputs == Outputs::loss ? 0 : in.logits.size();
      for (std::size_t j = 0; j < cols; ++j) r.gradient.push_back(rounded(of.gradient(j)));
      return r;
    });
  }
  static Decision compare(const CrossEntropyInput& in, unsigned bits, CrossEntropyQuestion q, double got,
                          double bound) {
    return at_precision<Type, Step>(bits, [&]<class R>(unsigned b) {
      const Value<R> exact = answer(OracleRowOf<R>(in, b, Ulps), q);
      const R distance = abs(R(got) - exact.value);
      const R doubt = exact.error + ldexp(distance + abs(R(bound)), 2 - static_cast<int>(b));
      if (distance + doubt <= bound) return Decision::within;
      return distance - doubt > bound ? Decision::beyond : Decision::undecided;
    });
  }
  static double tanh_error(DoubleDouble y, DoubleDouble claimed, unsigned bits) {
    return at_precision<Type, Step>(bits, [&]<class R>(unsigned) {
      const R exact = tanh(real<R>(y));
      return R(abs(real<R>(claimed) - exact) / abs(exact)).template convert_to<double>();
    });
  }
  static double slope_error(DoubleDouble y, DoubleDouble claimed, unsigned bits) {
    return at_precision<Type, Step>(bits, [&]<class R>(unsigned) {
      const R of = cosh(real<R>(y)), exact = 1 / (of * of);
      return R(abs(real<R>(claimed) - exact) / exact).template convert_to<double>();
    });
  }
  static constexpr CrossEntropyOracle make(const char* name) { return {name, row, compare, tanh_error, slope_error}; }
};

}  // namespace
}  // namespace plusmax::reference
