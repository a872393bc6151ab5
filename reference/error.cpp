#include "reference/error.hpp"

#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// e with 2^e <= |hi + lo| < 2^(e+1); just below a power of two hi alone would name the binade above.
int binade(DoubleDouble y) {
  const int e = std::ilogb(y.hi);
  const bool power = std::ldexp(1.0, e) == std::fabs(y.hi);
  return power && y.lo != 0 && (y.lo < 0) != (y.hi < 0) ? e - 1 : e;
}

int ulp_exponent(plusmax_dtype dtype, DoubleDouble y) {
  const int e = y.hi == 0 ? minimum_exponent(dtype) : std::max(binade(y), minimum_exponent(dtype));
  return e - precision_bits(dtype) + 1;
}

DoubleDouble difference(double got, DoubleDouble exact) { return add(two_sum(got, -exact.hi), {-exact.lo, 0}); }

bool beyond_largest(plusmax_dtype dtype, DoubleDouble y) {
  const double top = largest(dtype);
  return std::fabs(y.hi) > top || (std::fabs(y.hi) == top && y.lo != 0 && (y.lo < 0) == (y.hi < 0));
}
}  // namespace

ValueClass classify(double x) {
  if (std::isnan(x)) return ValueClass::nan;
  if (!std::isinf(x)) return ValueClass::finite;
  return x > 0 ? ValueClass::positive_infinity : ValueClass::negative_infinity;
}

const char* name_of(ValueClass c) {
  switch (c) {
    case ValueClass::finite: return "finite";
    case ValueClass::positive_infinity: return "+inf";
    case ValueClass::negative_infinity: return "-inf";
    case ValueClass::nan: return "NaN";
  }
  return "unknown";
}

double absolute_error(double got, DoubleDouble exact) {
  const DoubleDouble a = two_sum(got, -exact.hi);
  if (!std::isfinite(a.hi)) return kInfinity;  // farther apart than the largest double
  const DoubleDouble b = two_sum(a.lo, -exact.lo), c = two_sum(a.hi, b.hi);
  if (c.lo == 0 && b.lo == 0) return std::fabs(c.hi);
  const double nearly = std::fabs(c.hi + (c.lo + b.lo));  // within 2 ulp of the exact distance
  return std::nextafter(std::nextafter(nearly, kInfinity), kInfinity);
}

double ulp(plusmax_dtype dtype, double exact) {
  if (!std::isfinite(exact)) return std::isnan(exact) ? exact : kInfinity;
  return std::ldexp(1.0, ulp_exponent(dtype, {exact, 0}));
}

double ulp_error(plusmax_dtype dtype, double got, DoubleDouble exact) {
  const ValueClass is = classify(got), should = classify(exact.hi);
  if (is == ValueClass::nan || should == ValueClass::nan) return is == should ? 0 : kInfinity;
  if (should != ValueClass::finite) {
    if (is == should) return 0;
    return should == ValueClass::positive_infinity ? -kInfinity : kInfinity;
  }
  if (is == ValueClass::finite) return std::ldexp(difference(got, exact).hi, -ulp_exponent(dtype, exact));

  const double sign = got > 0 ? 1 : -1;
  if ((exact.hi > 0) != (sign > 0)) return sign * kInfinity;
  if (beyond_largest(dtype, exact)) return 0;
  // The result counts as 2^(e_max + 1), one spacing above the largest number; written so that f64 does not overflow.
  const double top = sign * largest(dtype);
  const double spacing = std::ldexp(sign, ulp_exponent(dtype, {top, 0}));
  const DoubleDouble to_top = add(difference(top, exact), {spacing, 0});
  return std::ldexp(to_top.hi, -ulp_exponent(dtype, exact));
}

double above_overflow(plusmax_dtype dtype, DoubleDouble exact) {
  const double sign = exact.hi < 0 ? -1 : 1, top = largest(dtype);
  return add(add(two_sum(sign * exact.hi, -top), {sign * exact.lo, 0}), {-ulp(dtype, top) / 2, 0}).hi;
}

double overflow_error(plusmax_dtype dtype, double infinity, DoubleDouble exact) {
  const double sign = infinity > 0 ? 1 : -1, top = largest(dtype), half_ulp = ulp(dtype, top) / 2;
  const DoubleDouble below_top = add(two_sum(top, -sign * exact.hi), {-sign * exact.lo, 0});
  const bool beyond = add(below_top, {half_ulp, 0}).hi <= 0;
  return beyond ? 0 : absolute_error(half_ulp, {-below_top.hi, -below_top.lo});
}

}  // namespace plusmax::reference
