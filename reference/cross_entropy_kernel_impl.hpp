// The double-double passes of cross_entropy, written once over a vector type V; included by one translation unit per
// instruction set, under the rules of row_kernel_impl.hpp. Error bounds: docs/numerics.md section 4.8.
#pragma once

#include "reference/cross_entropy_kernel.hpp"
#include "reference/row_kernel_impl.hpp"

#include <limits>

namespace plusmax::reference {

inline constexpr double kLowestDouble = -std::numeric_limits<double>::max();

template <class V>
inline Pair<V> add_of(Pair<V> a, Pair<V> b) {  // 3 u^2
  const Pair<V> s = two_sum_of<V>(a.hi, b.hi), t = two_sum_of<V>(a.lo, b.lo);
  const Pair<V> v = fast_two_sum_of<V>(s.hi, V::add(s.lo, t.hi));
  return fast_two_sum_of<V>(v.hi, V::add(t.lo, v.lo));
}

template <class V>
inline Pair<V> multiply_of(Pair<V> a, Pair<V> b) {  // 4 u^2
  const auto p = V::mul(a.hi, b.hi);
  const auto cross = V::fma(a.lo, b.hi, V::fma(a.hi, b.lo, V::mul(a.lo, b.lo)));
  return fast_two_sum_of<V>(p, V::add(V::fma(a.hi, b.hi, V::neg(p)), cross));
}

template <class V>
inline Pair<V> divide_of(Pair<V> a, Pair<V> b) {  // 15 u^2
  const auto q = V::div(a.hi, b.hi);
  const Pair<V> back = multiply_of<V>(b, {q, V::set1(0)});
  return fast_two_sum_of<V>(q, V::div(V::add(V::sub(a.hi, back.hi), V::sub(a.lo, back.lo)), b.hi));
}

template <class V>
inline Pair<V> pick_of(typename V::D a, double threshold, Pair<V> below, Pair<V> otherwise) {
  return {V::pick_below(a, threshold, below.hi, otherwise.hi), V::pick_below(a, threshold, below.lo, otherwise.lo)};
}

template <class V>
inline typename V::D abs_of(typename V::D a) {
  return V::max(a, V::neg(a));
}

template <class V>
inline Pair<V> constant_of(double a) {
  return {V::set1(a), V::set1(0)};
}

// tanh(y) = -E / (2 + E) with E = exp(-2|y|) - 1, and 1 - tanh(y)^2 = 4 F / (1 + F)^2 with F = exp(-2|y|): nothing
// cancels.
template <class V>
inline void tanh_of(Pair<V> y, const ExpTables& t, Pair<V>& tanh, Pair<V>& slope) {
  const auto two = V::set1(2);
  const Pair<V> below_zero = pick_of<V>(y.hi, 0, y, {V::neg(y.hi), V::neg(y.lo)});
  const Pair<V> argument{V::mul(two, below_zero.hi), V::mul(two, below_zero.lo)};
  const Pair<V> f = exp_of<V>(argument, t);
  const Pair<V> e = pick_of<V>(argument.hi, -0x1p-11, add_of<V>(f, constant_of<V>(-1)), exp_minus_one_of<V>(argument));
  const Pair<V> size = divide_of<V>({V::neg(e.hi), V::neg(e.lo)}, add_of<V>(e, constant_of<V>(2)));
  tanh = pick_of<V>(y.hi, 0, {V::neg(size.hi), V::neg(size.lo)}, size);
  const Pair<V> one_more = add_of<V>(f, constant_of<V>(1));
  const Pair<V> half = divide_of<V>(f, multiply_of<V>(one_more, one_more));
  slope = {V::mul(V::set1(4), half.hi), V::mul(V::set1(4), half.lo)};
}

// y / cap without an overflow on the way. |y| / cap of 1024 and beyond are alike: tanh is 1 and its slope 0 far below
// what either promises.
template <class V>
inline Pair<V> capped_argument(Pair<V> y, double cap) {
  constexpr double kLarge = 0x1p900, kDown = 0x1p-200;
  const auto size = abs_of<V>(y.hi);
  if (cap <= kLarge) {
    const Pair<V> limit = pick_of<V>(y.hi, 0, constant_of<V>(-1024 * cap), constant_of<V>(1024 * cap));
    return divide_of<V>(pick_of<V>(size, 1024 * cap, y, limit), constant_of<V>(cap));
  }
  const Pair<V> down{V::mul(y.hi, V::set1(kDown)), V::mul(y.lo, V::set1(kDown))};
  return pick_of<V>(size, kLarge, divide_of<V>(y, constant_of<V>(cap)),
                    divide_of<V>(down, constant_of<V>(cap * kDown)));
}

template <class V>
void logit_columns(const double* x, std::size_t blocks, double scale, double cap, const ExpTables& t, PairColumns z,
                   PairColumns slope) {
  const Pair<V> zero = constant_of<V>(0), masked = constant_of<V>(kMinusInfinity<double>);
  const auto s = V::set1(scale);
  for (std::size_t i = 0; i < blocks * kChains; i += V::kLanes) {
    const auto logit = V::load(x + i), product = V::mul(logit, s);
    Pair<V> y{product, V::fma(logit, s, V::neg(product))}, flat = constant_of<V>(1);
    if (cap > 0) {
      Pair<V> tanh;
      tanh_of<V>(capped_argument<V>(y, cap), t, tanh, flat);
      y = multiply_of<V>(tanh, constant_of<V>(cap));
      flat = pick_of<V>(logit, kLowestDouble, zero, flat);
    }
    y = pick_of<V>(logit, kLowestDouble, masked, y);
    V::store(z.hi + i, y.hi), V::store(z.lo + i, y.lo);
    V::store(slope.hi + i, flat.hi), V::store(slope.lo + i, flat.lo);
  }
}

// One vector of the running sums of CrossEntropySums.
template <class V>
struct Accumulators {
  using D = typename V::D;
  D sum_hi = V::set1(0), sum_lo = sum_hi, distance = sum_hi, magnitude = sum_hi;
  D smooth_hi = sum_hi, smooth_lo = sum_hi, weight_hi = sum_hi, weight_lo = sum_hi;
  D abs_smooth = sum_hi, abs_weight = sum_hi, abs_weighted_logit = sum_hi;

  static void into(D& hi, D& lo, Pair<V> term) {
    const Pair<V> s = two_sum_of<V>(hi, term.hi);
    hi = s.hi;
    lo = V::add(lo, V::add(s.lo, term.lo));
  }

  // z - max, never above 0; -inf where z is, or where the difference overflows.
  static Pair<V> difference(Pair<V> z, Pair<V> minus_max) {
    const auto rough = V::add(z.hi, minus_max.hi);
    // The larger first: near the largest double what rounding took from the sum overflows the other way round.
    const auto order = V::sub(abs_of<V>(z.hi), abs_of<V>(minus_max.hi));
    const Pair<V> sum = add_of<V>(pick_of<V>(order, 0, minus_max, z), pick_of<V>(order, 0, z, minus_max));
    const Pair<V> d = pick_of<V>(rough, kLowestDouble, constant_of<V>(kMinusInfinity<double>), sum);
    return pick_of<V>(V::neg(d.hi), 0, constant_of<V>(0), d);
  }

  Pair<V> exponential(Pair<V> z, Pair<V> d, const ExpTables& t) {
    const Pair<V> e = exp_of<V>(d, t);
    into(sum_hi, sum_lo, e);
    distance = V::fma(e.hi, V::neg(V::max(d.hi, V::set1(kExpLowest))), distance);
    magnitude = V::fma(e.hi, abs_of<V>(V::max(z.hi, V::set1(kLowestDouble))), magnitude);
    return e;
  }

  void smoothing(Pair<V> z, Pair<V> d, D w) {
    const D hi = V::neg(V::max(d.hi, V::set1(kLowestDouble))), lo = V::neg(V::zero_below(d.lo, d.hi, kLowestDouble));
    const D product = V::mul(w, hi), size = abs_of<V>(w);
    into(smooth_hi, smooth_lo, {product, V::fma(w, lo, V::fma(w, hi, V::neg(product)))});
    into(weight_hi, weight_lo, {w, V::set1(0)});
    abs_smooth = V::fma(size, hi, abs_smooth);
    abs_weight = V::add(abs_weight, size);
    abs_weighted_logit = V::fma(size, abs_of<V>(V::max(z.hi, V::set1(kLowestDouble))), abs_weighted_logit);
  }

  void store(CrossEntropySums& out, std::size_t at) const {
    V::store(out.sum_hi + at, sum_hi), V::store(out.sum_lo + at, sum_lo);
    V::store(out.distance + at, distance), V::store(out.magnitude + at, magnitude);
    V::store(out.smooth_hi + at, smooth_hi), V::store(out.smooth_lo + at, smooth_lo);
    V::store(out.weight_hi + at, weight_hi), V::store(out.weight_lo + at, weight_lo);
    V::store(out.abs_smooth + at, abs_smooth), V::store(out.abs_weight + at, abs_weight);
    V::store(out.abs_weighted_logit + at, abs_weighted_logit);
  }
};

template <class V>
void sum_columns(PairColumns z, const double* weights, std::size_t blocks, std::size_t skip, DoubleDouble max,
                 const ExpTables& t, PairColumns e, CrossEntropySums& out) {
  constexpr std::size_t kVectors = kChains / V::kLanes;
  const Pair<V> minus_max{V::set1(-max.hi), V::set1(-max.lo)};
  Accumulators<V> sums[kVectors];
  for (std::size_t begin = 0; begin < blocks * kChains; begin += kChains) {
    double hi[kChains], w[kChains];
    for (std::size_t k = 0; k < kChains; ++k) {
      hi[k] = begin + k == skip ? kMinusInfinity<double> : z.hi[begin + k];
      w[k] = weights == nullptr || begin + k == skip ? 0 : weights[begin + k];
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t lane = v * V::kLanes, at = begin + lane;
      const Pair<V> logit{V::load(hi + lane), V::load(z.lo + at)};
      const Pair<V> d = Accumulators<V>::difference(logit, minus_max);
      const Pair<V> y = sums[v].exponential(logit, d, t);
      V::store(e.hi + at, y.hi), V::store(e.lo + at, y.lo);
      if (weights != nullptr) sums[v].smoothing(logit, d, V::load(w + lane));
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) sums[v].store(out, v * V::kLanes);
}

template <class V>
void gradient_columns(PairColumns e, PairColumns slope, const double* weights, std::size_t blocks,
                      DoubleDouble inverse_sum, DoubleDouble of_p, DoubleDouble of_weight, double* p, PairColumns dx) {
  const Pair<V> inverse{V::set1(inverse_sum.hi), V::set1(inverse_sum.lo)}, scale{V::set1(of_p.hi), V::set1(of_p.lo)};
  const Pair<V> flat{V::set1(-of_weight.hi), V::set1(-of_weight.lo)};
  for (std::size_t i = 0; i < blocks * kChains; i += V::kLanes) {
    const Pair<V> q = multiply_of<V>({V::load(e.hi + i), V::load(e.lo + i)}, inverse);
    const Pair<V> w{weights == nullptr ? V::set1(1) : V::load(weights + i), V::set1(0)};
    const Pair<V> core = add_of<V>(multiply_of<V>(q, scale), multiply_of<V>(w, flat));
    const Pair<V> g = multiply_of<V>(core, {V::load(slope.hi + i), V::load(slope.lo + i)});
    V::store(p + i, q.hi);
    V::store(dx.hi + i, g.hi), V::store(dx.lo + i, g.lo);
  }
}

template <class V>
constexpr CrossEntropyKernel make_cross_entropy_kernel() {
  return {logit_columns<V>, sum_columns<V>, gradient_columns<V>};
}

}  // namespace plusmax::reference
