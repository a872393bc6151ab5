// An unevaluated sum hi + lo with |lo| <= ulp(hi)/2.
#pragma once

namespace plusmax::reference {

struct DoubleDouble {
  double hi = 0, lo = 0;
};

// a + b exactly (Knuth's TwoSum), unless the sum overflows.
DoubleDouble two_sum(double a, double b);

// Relative errors, u = 2^-53 (Joldes, Muller, Popescu, ACM TOMS 44, 2017; product: Muller, Rideau 2022).
DoubleDouble add(DoubleDouble, DoubleDouble);       // 3 u^2 + 13 u^3, whatever the signs
DoubleDouble multiply(DoubleDouble, DoubleDouble);  // 4 u^2
DoubleDouble divide(DoubleDouble, DoubleDouble);    // 15 u^2 + 56 u^3

// exp(x) for x <= 0. Relative error <= kExpRelativeError down to -687 (docs/numerics.md section 4.1); from there to -708 the low
// part is subnormal, 2^-1074 absolutely more; below -708 the result is 0.
inline constexpr double kExpRelativeError = 0x1p-82;
DoubleDouble exp(DoubleDouble);

// log(1 + x) for 0 <= x < 2^63: error <= kLogAbsoluteError + 2^-102 log(1 + x), and relative error <= 2^-64.
inline constexpr double kLogAbsoluteError = 0x1p-81;
DoubleDouble log1p(DoubleDouble);

}  // namespace plusmax::reference
