// Distance of a computed result from the exact value, in ulps and absolutely.
#pragma once

#include "kernels/include/plusmax/types.h"
#include "reference/double_double.hpp"

namespace plusmax::reference {

enum class ValueClass { finite, positive_infinity, negative_infinity, nan };
ValueClass classify(double);
const char* name_of(ValueClass);

// A number of known class; finite ones satisfy |value - exact| <= error.
struct Certified {
  ValueClass value_class = ValueClass::finite;
  DoubleDouble value;
  double error = 0;
};

// |got - exact|, rounded up to double. Both finite.
double absolute_error(double got, DoubleDouble exact);

// Signed error in ulps of `dtype`: (got - exact) / ulp(exact). ulp(y) = 2^(max(e, e_min) - p + 1) with 2^e <= |y| < 2^(e+1):
// at a power of two the spacing above it counts, at zero and below the smallest normal number the subnormal spacing.
// An exact value beyond the largest finite number counts as 2^(e_max+1) when the result is infinite of the same sign.
double ulp_error(plusmax_dtype, double got, DoubleDouble exact);
double ulp(plusmax_dtype, double exact);

// How far |exact| lies above the overflow threshold, largest + ulp(largest)/2, from where on rounding gives an infinity;
// negative below it. In f64 the threshold itself is no double.
double above_overflow(plusmax_dtype, DoubleDouble exact);
// The error of an infinite result: it stands for every number of its sign from the threshold up.
double overflow_error(plusmax_dtype, double infinity, DoubleDouble exact);

}  // namespace plusmax::reference
