#include "reference/dtype.hpp"

#include "tests/catch.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

using namespace plusmax::reference;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr plusmax_dtype kHalves[] = {PLUSMAX_F16, PLUSMAX_BF16};
constexpr plusmax_dtype kAll[] = {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64};

double decode_bits(plusmax_dtype dtype, std::uint16_t bits) { return decode(dtype, &bits); }
std::uint16_t encode_bits(plusmax_dtype dtype, double value) {
  std::uint16_t bits = 0xabcd;
  encode(dtype, value, &bits);
  return bits;
}
double double_of(std::uint64_t bits) {
  double d;
  std::memcpy(&d, &bits, sizeof d);
  return d;
}
}  // namespace

TEST_CASE("dtype: the constants of each format follow from its precision and smallest exponent", "[dtype]") {
  CHECK(largest(PLUSMAX_F32) == static_cast<double>(std::numeric_limits<float>::max()));
  CHECK(largest(PLUSMAX_F16) == 65504);
  CHECK(largest(PLUSMAX_BF16) == 0x1.fep127);
  CHECK(largest(PLUSMAX_F64) == std::numeric_limits<double>::max());
  CHECK(unit_roundoff(PLUSMAX_F16) == 0x1p-11);
  for (const plusmax_dtype dtype : kAll) {
    CHECK(dtype_from(name_of(dtype)) == dtype);
    CHECK(round_to(dtype, largest(dtype)) == largest(dtype));
    CHECK(round_to(dtype, std::ldexp(1.0, minimum_exponent(dtype))) == std::ldexp(1.0, minimum_exponent(dtype)));
    CHECK(result_dtype(result_dtype(dtype)) == result_dtype(dtype));
  }
  CHECK_FALSE(dtype_from("f8").has_value());
  CHECK_FALSE(dtype_from("").has_value());
}

TEST_CASE("dtype: every 16-bit pattern survives decode and encode", "[dtype]") {
  for (const plusmax_dtype dtype : kHalves) {
    for (unsigned i = 0; i <= 0xffff; ++i) {
      const auto bits = static_cast<std::uint16_t>(i);
      const double value = decode_bits(dtype, bits);
      if (std::isnan(value)) {
        CHECK(std::isnan(round_to(dtype, value)));
      } else if (encode_bits(dtype, value) != bits) {
        FAIL(name_of(dtype) << " " << i << " came back as " << encode_bits(dtype, value));
      }
    }
  }
}

TEST_CASE("dtype: between neighbours the midpoint goes to even and everything else to the nearer", "[dtype]") {
  for (const plusmax_dtype dtype : kHalves) {
    const std::uint16_t infinity = encode_bits(dtype, kInfinity);
    for (std::uint16_t low = 0; low < infinity; ++low) {
      const std::uint16_t high = low + 1;
      const double a = decode_bits(dtype, low);
      const double b = high == infinity ? std::ldexp(1.0, 1 - minimum_exponent(dtype) + 1) : decode_bits(dtype, high);
      const double middle = a + (b - a) / 2;  // exact
      const bool right = encode_bits(dtype, middle) == ((low & 1) == 0 ? low : high) &&
                         encode_bits(dtype, std::nextafter(middle, 0)) == low &&
                         encode_bits(dtype, std::nextafter(middle, kInfinity)) == high &&
                         encode_bits(dtype, -std::nextafter(middle, kInfinity)) == (0x8000 | high);
      if (!right) FAIL(name_of(dtype) << " between " << a << " and " << b);
    }
  }
}

TEST_CASE("dtype: a value just above a tie is not rounded twice through f32", "[dtype]") {
  CHECK(round_to(PLUSMAX_F16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10);
  CHECK(round_to(PLUSMAX_BF16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7);
  CHECK(round_to(PLUSMAX_F16, 0x1.8p-25) == 0x1p-24);
  CHECK(round_to(PLUSMAX_F16, 0x1p-25) == 0);
}

TEST_CASE("dtype: f32 agrees with the processor's conversion on random doubles of every exponent", "[dtype]") {
  std::mt19937_64 random(20);
  for (int i = 0; i < 400000; ++i) {
    // Exponents from 2^-160 to 2^130, half of them with a tail close to a tie.
    const std::uint64_t exponent = 1023 - 160 + random() % 290;
    std::uint64_t bits = (random() & 1) << 63 | exponent << 52 | (random() >> 12);
    if (i % 2 == 0) bits = (bits & ~0x1fffffffull) | (0x10000000 + random() % 3 - 1);
    const double value = double_of(bits);
    const double want = std::fabs(value) < 0x1.ffffffp127 ? static_cast<float>(value) : std::copysign(kInfinity, value);
    if (round_to(PLUSMAX_F32, value) != want) FAIL(value << " gives " << round_to(PLUSMAX_F32, value));
  }
  CHECK(round_to(PLUSMAX_F32, std::numeric_limits<double>::denorm_min()) == 0);
  CHECK(std::signbit(round_to(PLUSMAX_F32, -std::numeric_limits<double>::denorm_min())));
}

TEST_CASE("dtype: infinities, NaN and the sign of zero survive every format", "[dtype]") {
  for (const plusmax_dtype dtype : kAll) {
    CHECK(round_to(dtype, kInfinity) == kInfinity);
    CHECK(round_to(dtype, -kInfinity) == -kInfinity);
    CHECK(std::isnan(round_to(dtype, std::nan(""))));
    CHECK(std::signbit(round_to(dtype, -0.0)));
    CHECK_FALSE(std::signbit(round_to(dtype, 0.0)));
  }
  CHECK(round_to(PLUSMAX_F16, 65519.99) == 65504);
  CHECK(round_to(PLUSMAX_F16, 65520) == kInfinity);
  CHECK(round_to(PLUSMAX_F16, -1e300) == -kInfinity);
}
