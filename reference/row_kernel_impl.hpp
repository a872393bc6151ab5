// The double-double algorithm, written once over a vector type V; proofs in docs/numerics.md section 4.
// Included by one translation unit per instruction set, whose V lives in an unnamed namespace: no instance can be merged by
// the linker with that of another instruction set. For the same reason nothing of the standard library is called here.
// Every fma is explicit: compile with -ffp-contract=off.
#pragma once

#include "reference/row_kernel.hpp"

#include <cstdint>
#include <limits>

namespace plusmax::reference {

inline constexpr double kExpLowest = -708;  // exp(-708) is still a normal double
template <class T>
inline constexpr T kMinusInfinity = -std::numeric_limits<T>::infinity();  // a constant: no call is emitted

template <class V>
struct Pair {
  typename V::D hi, lo;
};

template <class V>
inline Pair<V> two_sum_of(typename V::D a, typename V::D b) {
  const auto s = V::add(a, b), t = V::sub(s, a);
  return {s, V::add(V::sub(a, V::sub(s, t)), V::sub(b, t))};
}

template <class V>
inline Pair<V> fast_two_sum_of(typename V::D a, typename V::D b) {  // |a| >= |b|
  const auto s = V::add(a, b);
  return {s, V::sub(b, V::sub(s, a))};
}

// exp(r) - 1 for |r.hi| <= 2^-10.52: r.hi + r.hi^2/2 as an exact pair, the rest in double.
template <class V>
inline Pair<V> exp_minus_one_of(Pair<V> r) {
  using D = typename V::D;
  const D square = V::mul(r.hi, r.hi), square_lo = V::fma(r.hi, r.hi, V::neg(square));
  D q = V::fma(r.hi, V::set1(1.0 / 720), V::set1(1.0 / 120));
  q = V::fma(r.hi, q, V::set1(1.0 / 24));
  q = V::fma(r.hi, q, V::set1(1.0 / 6));
  const D cubic = V::mul(V::mul(r.hi, square), q);
  const Pair<V> s = fast_two_sum_of<V>(r.hi, V::mul(square, V::set1(0.5)));
  const D rest = V::fma(r.hi, r.lo, V::fma(square_lo, V::set1(0.5), cubic));
  return {s.hi, V::add(s.lo, V::add(r.lo, rest))};
}

// exp(x) for -708 <= x.hi <= 0, 0 below.
template <class V>
inline Pair<V> exp_of(Pair<V> x, const ExpTables& t) {
  using D = typename V::D;
  const D magic = V::set1(0x1.8p52), clamped = V::max(x.hi, V::set1(kExpLowest));
  const D shifted = V::fma(clamped, V::set1(t.inverse_step), magic);  // k = rint(512 x / ln2) in its low bits
  const auto bits = V::bits(shifted);
  const D minus_k = V::sub(magic, shifted);
  const Pair<V> a = two_sum_of<V>(V::fma(minus_k, V::set1(t.step1), clamped), x.lo);  // the fma is exact
  const D w = V::mul(minus_k, V::set1(t.step2)), w_lo = V::fma(minus_k, V::set1(t.step2), V::neg(w));
  const Pair<V> b = two_sum_of<V>(a.hi, w);
  const D r_lo = V::fma(minus_k, V::set1(t.step3), V::add(V::add(a.lo, b.lo), w_lo));
  const Pair<V> e = exp_minus_one_of<V>({b.hi, r_lo});

  const auto j = V::low_bits(bits, kTableSize - 1);
  const D th = V::gather(t.power_hi, j), tl = V::gather(t.power_lo, j);
  const D product = V::mul(th, e.hi), product_lo = V::fma(th, e.hi, V::neg(product));
  const Pair<V> z = fast_two_sum_of<V>(th, product);
  const D z_lo = V::add(z.lo, V::add(product_lo, V::fma(th, e.lo, V::fma(tl, e.hi, tl))));
  const Pair<V> y = fast_two_sum_of<V>(z.hi, z_lo);
  const D scale = V::power_of_two(bits);
  return {V::zero_below(V::mul(y.hi, scale), x.hi, kExpLowest), V::zero_below(V::mul(y.lo, scale), x.hi, kExpLowest)};
}

// Blocks of kChains elements; `visit(block)` gets a pointer to each, the last one padded with -inf.
template <class T, class Visit>
inline void for_each_block(const T* row, std::size_t cols, std::size_t skip, Visit visit) {
  for (std::size_t begin = 0; begin < cols; begin += kChains) {
    const bool whole = cols - begin >= kChains, skips = skip - begin < kChains;
    if (whole && !skips) {
      visit(row + begin);
      continue;
    }
    T block[kChains];
    for (std::size_t k = 0; k < kChains; ++k) {
      const bool absent = begin + k >= cols || begin + k == skip;
      block[k] = absent ? kMinusInfinity<T> : row[begin + k];
    }
    visit(static_cast<const T*>(block));
  }
}

template <class V, class T>
RowScan scan_row(const T* row, std::size_t cols) {
  constexpr std::size_t kVectors = kChains / V::kLanes;
  const auto lowest = V::set1(kMinusInfinity<double>);
  typename V::D max[kVectors];
  for (auto& m : max) m = lowest;
  RowScan result{kMinusInfinity<double>, 0, false};
  for_each_block(row, cols, cols + kChains, [&](const T* block) {
    bool nan = false;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto x = V::load(block + v * V::kLanes);
      max[v] = V::max(x, max[v]);
      nan |= V::any_nan(x);
    }
    result.has_nan |= nan;
  });
  double chain[kChains];
  for (std::size_t v = 0; v < kVectors; ++v) V::store(chain + v * V::kLanes, max[v]);
  for (const double c : chain) result.max = c > result.max ? c : result.max;

  const auto wanted = V::set1(result.max);
  for (std::size_t begin = 0; begin < cols; begin += V::kLanes) {
    const bool whole = cols - begin >= V::kLanes;
    if (whole && !V::any_equal(V::load(row + begin), wanted)) continue;
    for (std::size_t i = begin; i < cols && i < begin + V::kLanes; ++i) {
      if (static_cast<double>(row[i]) == result.max) {
        result.argmax = i;
        return result;
      }
    }
  }
  return result;  // nothing but NaN, or no column at all
}

template <class V, class T>
void sum_row(const T* row, std::size_t cols, double max, std::size_t argmax, const ExpTables& tables, ChainSums& out) {
  using D = typename V::D;
  constexpr std::size_t kVectors = kChains / V::kLanes;
  const D minus_max = V::set1(-max), lowest = V::set1(kExpLowest);
  D hi[kVectors], lo[kVectors], weighted[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) hi[v] = lo[v] = weighted[v] = V::set1(0);
  for_each_block(row, cols, argmax, [&](const T* block) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Pair<V> d = two_sum_of<V>(V::load(block + v * V::kLanes), minus_max);  // d.hi = -inf: exp_of gives 0
      const Pair<V> e = exp_of<V>(d, tables);
      const Pair<V> s = two_sum_of<V>(hi[v], e.hi);
      hi[v] = s.hi;
      lo[v] = V::add(lo[v], V::add(s.lo, e.lo));
      weighted[v] = V::fma(e.hi, V::max(d.hi, lowest), weighted[v]);
    }
  });
  for (std::size_t v = 0; v < kVectors; ++v) {
    V::store(out.hi + v * V::kLanes, hi[v]);
    V::store(out.lo + v * V::kLanes, lo[v]);
    V::store(out.weighted + v * V::kLanes, weighted[v]);
  }
}

template <class V>
void exponentials(const DoubleDouble* x, DoubleDouble* y, std::size_t count, const ExpTables& tables) {
  for (std::size_t begin = 0; begin < count; begin += V::kLanes) {
    double hi[V::kLanes] = {}, lo[V::kLanes] = {};
    const std::size_t lanes = count - begin < V::kLanes ? count - begin : V::kLanes;
    for (std::size_t k = 0; k < lanes; ++k) hi[k] = x[begin + k].hi, lo[k] = x[begin + k].lo;
    const Pair<V> e = exp_of<V>({V::load(hi), V::load(lo)}, tables);
    V::store(hi, e.hi);
    V::store(lo, e.lo);
    for (std::size_t k = 0; k < lanes; ++k) y[begin + k] = {hi[k], lo[k]};
  }
}

template <class V>
constexpr RowKernel make_row_kernel() {
  return {scan_row<V, float>, scan_row<V, double>, sum_row<V, float>, sum_row<V, double>, exponentials<V>};
}

}  // namespace plusmax::reference
