// What a row of cross_entropy must give, evaluated plainly in long double, and how far a kernel may be from it:
// rounding errors counted generously from its error shape. Enough to tell a wrong kernel from a right one.
#pragma once

#include "reference/dtype.hpp"
#include "tests/kernels/cross_entropy_call.hpp"

#include <algorithm>

namespace plusmax::tests {

using Real = long double;

// A value, and the sum of the absolute values of the terms that it was made of: what its rounding errors scale with.
struct Estimate {
  Real value = 0, size = 0;
  void add(Real term) {
    value += term;
    size += std::fabs(term);
  }
};

struct ExpectedRow {
  Estimate weighted, z_loss, lse;
  std::vector<Estimate> dlogits;
  std::int64_t argmax = 0;
};

struct ExpectedDivisors {
  Real weight = 1, rows = 1;
};

inline ExpectedDivisors expected_divisors(const CrossEntropyCall& call) {
  if (call.options.reduction != PLUSMAX_MEAN) return {};
  if (call.normalizer) return {call.divisors[0], call.divisors[1]};
  ExpectedDivisors d{0, 0};
  for (const std::int64_t target : call.targets) {
    if (target == call.options.ignore_index) continue;
    ++d.rows;
    if (target >= 0 && target < std::int64_t(call.cols))
      d.weight += call.weighted ? Real(call.weights[target]) : Real(1);
  }
  return d;
}

// Of a row that is neither ignored nor bad and holds no NaN and no infinity.
inline ExpectedRow expected_row(const CrossEntropyCall& call, std::size_t row) {
  const auto& o = call.options;
  const std::size_t cols = call.cols;
  const auto target = std::size_t(call.targets[row]);
  const auto weight = [&](std::size_t col) { return call.weighted ? Real(call.weights[col]) : Real(1); };
  ExpectedRow e;
  std::vector<Real> z(cols), slope(cols, o.logit_scale);
  Real maximum = -std::numeric_limits<Real>::infinity(), sum = 0, weights = 0, largest = 0;
  for (std::size_t col = 0; col < cols; ++col) {
    const Real x = reference::round_to(call.dtype, call.logits[row][col]);
    z[col] = Real(o.logit_scale) * x;
    if (o.softcap > 0) {
      const Real t = std::tanh(z[col] / Real(o.softcap));
      z[col] = Real(o.softcap) * t;
      slope[col] *= 1 - t * t;
    }
    if (x > reference::round_to(call.dtype, call.logits[row][std::size_t(e.argmax)])) e.argmax = std::int64_t(col);
    maximum = std::max(maximum, z[col]);
    largest = std::max(largest, std::fabs(z[col]));
    weights += weight(col);
  }
  for (const Real each : z) sum += std::exp(each - maximum);
  const Real log_sum = std::log(sum), lse = maximum + log_sum, w = weight(target);
  e.lse.add(lse);
  e.lse.size += largest;
  e.weighted.add((1 - Real(o.label_smoothing)) * w * log_sum);
  e.weighted.add((1 - Real(o.label_smoothing)) * w * (maximum - z[target]));
  for (std::size_t col = 0; o.label_smoothing > 0 && col < cols; ++col)
    e.weighted.add(Real(o.label_smoothing) / Real(cols) * weight(col) * (lse - z[col]));
  e.z_loss.add(Real(o.z_loss) * lse * lse);
  e.z_loss.size += Real(o.z_loss) * 2 * largest * largest;
  const ExpectedDivisors d = expected_divisors(call);
  const Real up = call.upstream == Upstream::none ? 1 : call.upstreams[call.upstream == Upstream::one ? 0 : row];
  const Real eps = o.label_smoothing;
  for (std::size_t col = 0; col < cols; ++col) {
    const Real p = std::exp(z[col] - maximum) / sum, k = up * slope[col];
    Estimate g;
    g.add(k * (1 - eps) * w * p / d.weight);
    if (col == target) g.add(-k * (1 - eps) * w / d.weight);
    g.add(k * eps / Real(cols) * weights * p / d.weight);
    g.add(-k * eps / Real(cols) * weight(col) / d.weight);
    g.add(k * 2 * Real(o.z_loss) * lse * p / d.rows);
    e.dlogits.push_back(g);
  }
  return e;
}

// Relative error of a sum of exponentials and what is made of it.
inline Real slack(const CrossEntropyCall& call, const ErrorShape& shape) {
  const double arguments = 64 * (1 + shape.exp_argument), cap = 16 * call.options.softcap;
  return shape.unit_roundoff *
         (2 * shape.additions + 4 * (shape.rescales + 1) * (1 + shape.exp_relative) + arguments + cap + 64);
}

inline bool near(Real got, const Estimate& want, Real relative, Real absolute = 0) {
  return std::fabs(got - want.value) <= relative * (want.size + std::fabs(want.value)) + absolute;
}
// Rounded once more to the dtype of the logits.
inline bool near_stored(plusmax_dtype dtype, Real got, const Estimate& want, Real relative) {
  const Real tiny = dtype == PLUSMAX_F16 ? 0x1p-24L : 0x1p-126L;
  return near(got, want, relative, reference::unit_roundoff(dtype) * (std::fabs(want.value) * (1 + relative)) + tiny);
}

}  // namespace plusmax::tests
