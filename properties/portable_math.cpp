#include "properties/portable_math.hpp"

#include <bit>
#include <cstdint>

namespace plusmax::properties {

double portable_log(double x) {
  int exponent = 0;
  if (x < 0x1p-1022) {  // subnormal
    x *= 0x1p54;
    exponent = -54;
  }
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & kFraction) | (std::uint64_t{1023} << 52));  // [1, 2)
  if (m > 0x1.6a09e667f3bcdp0) {                                                       // above sqrt(2)
    m /= 2;
    ++exponent;
  }
  // log m = 2 atanh s = 2 (s + s^3/3 + s^5/5 + ...), |s| <= 0.1716: the term after s^21/21 is below 2^-62
  const double s = (m - 1) / (m + 1), z = s * s;
  constexpr double kTerms[] = {1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3};
  double series = 0;
  for (const double term : kTerms) series = (series + term) * z;
  constexpr double kLn2High = 0x1.62e42fefa38p-1,
                   kLn2Low = 0x1.ef35793c7673p-45;  // the high part times any exponent is exact
  return exponent * kLn2High + (2 * s + (2 * s * series + exponent * kLn2Low));
}

double portable_cos_turns(double t) {
  // Quarter turns: t = (q + r) / 4 with |r| <= 1/2, all exact for t that are multiples of 2^-53.
  const double quarters = 4 * t;
  const int q = static_cast<int>(quarters + 0.5);
  const double angle = (quarters - q) * 0x1.921fb54442d18p+0;  // times pi/2, at most pi/4
  const double z = angle * angle;
  const int quadrant = q & 3;
  // Taylor series as nested products, the first term left out is below 2^-60 at pi/4
  constexpr double kCosine[] = {1. / 240, 1. / 182, 1. / 132, 1. / 90, 1. / 56, 1. / 30, 1. / 12, 1. / 2};
  constexpr double kSine[] = {1. / 272, 1. / 210, 1. / 156, 1. / 110, 1. / 72, 1. / 42, 1. / 20, 1. / 6};
  double cosine = 0, sine = 0;
  for (const double ratio : kCosine) cosine = -(1 + cosine) * (z * ratio);
  for (const double ratio : kSine) sine = -(1 + sine) * (z * ratio);
  const double value = quadrant & 1 ? angle + angle * sine : 1 + cosine;
  return quadrant == 1 || quadrant == 2 ? -value : value;
}

}  // namespace plusmax::properties
