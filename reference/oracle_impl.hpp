// The oracle over any multiprecision type; included by one translation unit per backend.
#pragma once

#include "reference/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace plusmax::reference {
namespace {

template <class R>
struct Quantities {
  R sum_without_max = 0, log_sum = 0, lse = 0, weighted = 0;
  R error = 0;  // of lse
};

// `bits` is the precision of R, `ulps` what its exp and log may be wrong by, in units of 2^-bits.
//
// Error of the sum: each term ulps + |d| (the rounding of d = x - m, relative, times d; |d| < bits + 64 in what follows, for
// smaller terms are left out: cols 2^-bits at most), each addition one more. Of the logarithm: ulps, relative. So
// (ulps + bits + 64 + cols + 2) 2^-bits in all, and 2^-bits (log S + |lse|) for the last steps; doubled for second order.
template <class R>
Quantities<R> quantities(std::span<const double> row, unsigned bits, unsigned ulps) {
  using std::isfinite;
  const auto top = std::max_element(row.begin(), row.end());
  if (top == row.end() || !isfinite(*top)) throw std::invalid_argument("the oracle computes finite rows only");
  const R max = *top;
  const R lowest = -static_cast<double>(bits) - 64;
  Quantities<R> q;
  for (auto x = row.begin(); x != row.end(); ++x) {
    if (x == top || std::isinf(*x)) continue;
    const R d = R(*x) - max;
    if (d < lowest) continue;
    const R e = exp(d);
    q.sum_without_max += e;
    q.weighted -= e * d;
  }
  q.log_sum = log1p(q.sum_without_max);
  q.lse = max + q.log_sum;
  const double terms = static_cast<double>(row.size()) + 2.0 * ulps + bits + 66;
  q.error = row.size() == 1 ? R(0) : ldexp(R(2 * terms) + 2 * ulps * (q.log_sum + abs(q.lse)), -static_cast<int>(bits));
  return q;
}

template <class R>
DoubleDouble to_double_double(const R& x) {
  const double hi = x.template convert_to<double>();
  return {hi, R(x - hi).template convert_to<double>()};
}

template <class R>
OracleRow oracle_row(std::span<const double> row, unsigned bits, unsigned ulps) {
  const Quantities<R> q = quantities<R>(row, bits, ulps);
  OracleRow r;
  r.sum_without_max = to_double_double(q.sum_without_max);
  r.log_sum = to_double_double(q.log_sum);
  r.lse = to_double_double(q.lse);
  r.mean_distance = R(q.weighted / (1 + q.sum_without_max)).template convert_to<double>();
  const double computed = q.error.template convert_to<double>();
  r.error = computed == 0 && r.lse.lo == 0 ? 0 : 1.01 * computed + 0x1p-105 * std::fabs(r.lse.hi);
  return r;
}

template <class R>
Decision oracle_compare(std::span<const double> row, unsigned bits, unsigned ulps, double got, double bound) {
  const Quantities<R> q = quantities<R>(row, bits, ulps);
  const R distance = abs(R(got) - q.lse);
  const R doubt = q.error + ldexp(distance + abs(R(bound)), 2 - static_cast<int>(bits));
  if (q.error == 0) return distance <= bound ? Decision::within : Decision::beyond;
  if (distance + doubt <= bound) return Decision::within;
  return distance - doubt > bound ? Decision::beyond : Decision::undecided;
}

template <class R>
double exp_relative_error(DoubleDouble x, DoubleDouble claimed) {
  const R exact = exp(R(x.hi) + x.lo);
  return R(abs(R(claimed.hi) + claimed.lo - exact) / exact).template convert_to<double>();
}

[[noreturn]] inline void too_many_bits(unsigned bits) {
  throw std::invalid_argument("the oracle has no " + std::to_string(bits) + " bits, " + std::to_string(kLastOracleBits) +
                              " is its last precision");
}

// Calls visit.operator()<R>(bits of R) on the first rung of at least `bits`; the next rung has Step times the bits.
template <template <unsigned> class Type, unsigned Step, unsigned Rung = kFirstOracleBits, class Visit>
auto at_precision(unsigned bits, Visit visit) {
  if constexpr (Rung < kLastOracleBits) {
    if (bits > Rung) return at_precision<Type, Step, Step * Rung>(bits, visit);
  }
  if (bits > Rung) too_many_bits(bits);
  return visit.template operator()<Type<Rung>>(Rung);
}

template <template <unsigned> class Type, unsigned Ulps, unsigned Step>
struct Backend {
  static OracleRow row(std::span<const double> x, unsigned bits) {
    return at_precision<Type, Step>(bits, [&]<class R>(unsigned b) { return oracle_row<R>(x, b, Ulps); });
  }
  static Decision compare(std::span<const double> x, unsigned bits, double got, double bound) {
    return at_precision<Type, Step>(bits, [&]<class R>(unsigned b) { return oracle_compare<R>(x, b, Ulps, got, bound); });
  }
  static double exponential(DoubleDouble x, DoubleDouble claimed, unsigned bits) {
    return at_precision<Type, Step>(bits, [&]<class R>(unsigned) { return exp_relative_error<R>(x, claimed); });
  }
  static constexpr OracleBackend make(const char* name) { return {name, row, compare, exponential}; }
};

}  // namespace
}  // namespace plusmax::reference
