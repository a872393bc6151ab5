// bf16 and fp16 conversions against a formula that knows nothing of their bits: scale, round to an integer, scale back.
#include "tests/simt/planted.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace {

struct Format {
  int fraction_bits, min_exponent, max_exponent;
};
constexpr Format kBf16{7, -126, 127}, kF16{10, -14, 15};

float as_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// To nearest, ties to even, by the default rounding of nearbyint.
std::uint16_t encode(float value, const Format& format) {
  if (std::isnan(value)) return 0x7fff;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double x = std::fabs(double(value));
  const int bias = format.max_exponent;
  const std::uint16_t infinity = std::uint16_t((2 * bias + 1) << format.fraction_bits);
  if (std::isinf(x)) return sign | infinity;
  const int exponent = x == 0 ? format.min_exponent : std::max(std::ilogb(x), format.min_exponent);
  // In units of the last place: below 2^fraction_bits it is subnormal; one past the top carries into the exponent by
  // itself.
  const double units = std::nearbyint(std::ldexp(x, format.fraction_bits - exponent));
  const double bits = units + std::ldexp(double(exponent - format.min_exponent), format.fraction_bits);
  return sign | std::uint16_t(std::min(bits, double(infinity)));
}
double decode(std::uint16_t bits, const Format& format) {
  const int exponent = (bits & 0x7fff) >> format.fraction_bits, fraction = bits & ((1 << format.fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 2 * format.max_exponent + 1) return fraction ? std::nan("") : sign * INFINITY;
  const int shift = std::max(exponent, 1) - 1 + format.min_exponent - format.fraction_bits;
  return sign * std::ldexp(double(fraction + (exponent ? 1 << format.fraction_bits : 0)), shift);
}
bool encodes_right(float value) {
  return __float2bfloat16_rn(value).x == encode(value, kBf16) && __float2half_rn(value).x == encode(value, kF16);
}

}  // namespace

TEST_CASE("half: all 2^16 patterns of bf16 and fp16 decode to their value", "[simt][half]") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const std::uint16_t pattern = std::uint16_t(bits);
    const float bf16 = __bfloat162float({pattern}), f16 = __half2float({pattern});
    const double want_bf16 = decode(pattern, kBf16), want_f16 = decode(pattern, kF16);
    INFO("pattern " << bits);
    if (std::isnan(want_bf16))
      REQUIRE(bits_of(bf16) == bits << 16);  // the NaN itself
    else
      REQUIRE(bits_of(bf16) == bits_of(float(want_bf16)));
    if (std::isnan(want_f16))
      REQUIRE(bits_of(f16) == 0x7fffffffu);  // the one NaN
    else
      REQUIRE(bits_of(f16) == bits_of(float(want_f16)));
  }
}

TEST_CASE("half: decoding and encoding gives every pattern back", "[simt][half]") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const std::uint16_t pattern = std::uint16_t(bits);
    const float bf16 = __bfloat162float({pattern}), f16 = __half2float({pattern});
    REQUIRE(__float2bfloat16_rn(bf16).x == (std::isnan(bf16) ? 0x7fff : pattern));
    REQUIRE(__float2half_rn(f16).x == (std::isnan(f16) ? 0x7fff : pattern));
  }
}

TEST_CASE("half: floats encode to the nearest, ties to even", "[simt][half]") {
  // Every exponent with fractions around every rounding boundary of both formats, and a stride through all floats.
  for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
    for (std::uint32_t sign : {0u, 0x80000000u})
      for (std::uint32_t step = 0; step < 2048; ++step)
        for (std::uint32_t near : {0u, 1u, 0x7fffffu}) {
          const std::uint32_t fraction = (step << 12) + near;
          if (!encodes_right(as_float(sign | exponent << 23 | (fraction & 0x7fffffu)))) {
            CAPTURE(exponent, step, near, sign);
            FAIL("a float is encoded wrongly");
          }
        }
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 4099)
    if (!encodes_right(as_float(std::uint32_t(bits)))) {
      CAPTURE(bits);
      FAIL("a float is encoded wrongly");
    }
}

TEST_CASE("half: all 2^32 floats encode to the nearest, ties to even", "[.slow][simt][half]") {
  for (std::uint64_t bits = 0; bits < (1ull << 32); ++bits)
    if (!encodes_right(as_float(std::uint32_t(bits)))) {
      CAPTURE(bits);
      FAIL("a float is encoded wrongly");
    }
}
