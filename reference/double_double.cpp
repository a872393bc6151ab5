#include "reference/double_double.hpp"

#include "reference/row_kernel.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#ifdef __FAST_MATH__
#error "the reference must not be compiled with -ffast-math: it rests on error-free transformations"
#endif

namespace plusmax::reference {

namespace {
DoubleDouble fast_two_sum(double a, double b) {  // |a| >= |b| or a == 0
  const double s = a + b;
  return {s, b - (s - a)};
}

// log1p(x) = x - x^2/2 + x^3/3 - x^4/4 + x^5/5 - .., |x| < 2^-16: the first omitted term is x^5/6 < 2^-82 relative.
DoubleDouble log1p_series(DoubleDouble x) {
  constexpr DoubleDouble kThird{0x1.5555555555555p-2, 0x1.5555555555555p-56};
  DoubleDouble p = add({-0.25, 0}, {x.hi * 0.2, 0});
  p = add(kThird, multiply(x, p));
  p = add({-0.5, 0}, multiply(x, p));
  p = add({1, 0}, multiply(x, p));
  return multiply(x, p);
}
}  // namespace

DoubleDouble two_sum(double a, double b) {
  if (std::fabs(a) < std::fabs(b)) std::swap(a, b);  // b - (s - a) and a - t overflow only with the sum
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const DoubleDouble v = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(v.hi, t.lo + v.lo);
}

DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const double p = a.hi * b.hi;
  const double cross = std::fma(a.lo, b.hi, std::fma(a.hi, b.lo, a.lo * b.lo));
  return fast_two_sum(p, std::fma(a.hi, b.hi, -p) + cross);
}

DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.hi / b.hi;
  const DoubleDouble back = multiply(b, {quotient, 0});
  return fast_two_sum(quotient, ((a.hi - back.hi) + (a.lo - back.lo)) / b.hi);
}

DoubleDouble exp(DoubleDouble x) {
  DoubleDouble y;
  portable_row_kernel().exponentials(&x, &y, 1, exp_tables());
  return y;
}

// One Newton step from the C library's logarithm y0: log s = y0 + log(s e^-y0), and the last logarithm is of 1 + d.
DoubleDouble log1p(DoubleDouble x) {
  if (x.hi < 0x1p-16) return log1p_series(x);
  const DoubleDouble s = add({1, 0}, x);
  const double y0 = std::log(s.hi);
  const DoubleDouble d = add(multiply(s, exp({-y0, 0})), {-1, 0});
  if (!(std::fabs(d.hi) <= 0x1p-40)) {
    throw std::logic_error("log(" + std::to_string(s.hi) + ") of the C library is " + std::to_string(y0) +
                           ", off by more than 2^-40: no double-double logarithm can be built on it");
  }
  return add({y0, 0}, add(d, {-0.5 * d.hi * d.hi, 0}));
}

}  // namespace plusmax::reference
