#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

namespace {
struct Format {
  plusmax_dtype dtype;
  const char* name;
  std::size_t bytes;
  int precision, minimum_exponent;  // maximum exponent: 1 - minimum_exponent
};
constexpr Format kFormats[] = {
    {PLUSMAX_F32, "f32", 4, 24, -126},
    {PLUSMAX_F16, "f16", 2, 11, -14},
    {PLUSMAX_BF16, "bf16", 2, 8, -126},
    {PLUSMAX_F64, "f64", 8, 53, -1022},
};

[[noreturn]] void unknown(plusmax_dtype dtype) {
  throw std::invalid_argument("dtype " + std::to_string(static_cast<int>(dtype)) + " is none of f32, f16, bf16, f64");
}

const Format& format_of(plusmax_dtype dtype) {
  for (const Format& f : kFormats) {
    if (f.dtype == dtype) return f;
  }
  unknown(dtype);
}

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

double decode_f16(std::uint16_t h) {
  const std::uint32_t sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude < 0x0400) {  // zero and subnormals: multiples of 2^-24
    const double value = magnitude * 0x1p-24;
    return sign != 0 ? -value : value;
  }
  // The exponent field of infinities and NaN must become all ones; every other is rebiased from 15 to 127.
  const std::uint32_t bias = magnitude >= 0x7c00 ? (255u - 31u) << 23 : (127u - 15u) << 23;
  return bits_as<float>(sign | ((magnitude << 13) + bias));
}

// The bits of `value` in a format of at most 24 bits of precision, rounded once, straight from the double.
std::uint32_t narrow(const Format& f, double value) {
  const int width = static_cast<int>(f.bytes) * 8, fraction = f.precision - 1;
  const std::uint32_t infinity = ((1u << (width - f.precision)) - 1) << fraction;
  const std::uint64_t bits = bits_as<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (width - 1);
  if (std::isnan(value)) return sign | infinity | (1u << (fraction - 1));
  if (std::isinf(value)) return sign | infinity;

  const int stored = static_cast<int>((bits >> 52) & 0x7ff);
  if (stored == 0) return sign;  // zero, or a subnormal double: far below half of the smallest subnormal
  const int exponent = stored - 1023, floor_exponent = std::max(exponent, f.minimum_exponent);
  const std::uint64_t significand = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const int shift = 52 - exponent + floor_exponent - fraction;  // bits that do not fit; at least 29
  if (shift > 54) return sign;
  const std::uint64_t kept = significand >> shift, rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1) != 0));
  // A carry out of the significand moves into the exponent field, as it should.
  const std::uint64_t encoded =
      (static_cast<std::uint64_t>(floor_exponent - f.minimum_exponent) << fraction) + rounded;
  return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(encoded, infinity));
}
}  // namespace

std::size_t size_of(plusmax_dtype dtype) { return format_of(dtype).bytes; }
const char* name_of(plusmax_dtype dtype) { return format_of(dtype).name; }
int precision_bits(plusmax_dtype dtype) { return format_of(dtype).precision; }
int minimum_exponent(plusmax_dtype dtype) { return format_of(dtype).minimum_exponent; }
double unit_roundoff(plusmax_dtype dtype) { return std::ldexp(1.0, -precision_bits(dtype)); }
plusmax_dtype result_dtype(plusmax_dtype dtype) { return dtype == PLUSMAX_F64 ? PLUSMAX_F64 : PLUSMAX_F32; }

std::optional<plusmax_dtype> dtype_from(std::string_view name) {
  for (const Format& f : kFormats) {
    if (name == f.name) return f.dtype;
  }
  return std::nullopt;
}

double largest(plusmax_dtype dtype) {
  const Format& f = format_of(dtype);
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - f.precision), 1 - f.minimum_exponent);
}

double decode(plusmax_dtype dtype, const void* element) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, element, sizeof value);
    return value;
  };
  switch (dtype) {
    case PLUSMAX_F32: return read(float{});
    case PLUSMAX_F16: return decode_f16(read(std::uint16_t{}));
    case PLUSMAX_BF16: return bits_as<float>(static_cast<std::uint32_t>(read(std::uint16_t{})) << 16);
    case PLUSMAX_F64: return read(double{});
  }
  unknown(dtype);
}

void encode(plusmax_dtype dtype, double value, void* element) {
  const Format& f = format_of(dtype);
  if (dtype == PLUSMAX_F64) {
    const double stored = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
    std::memcpy(element, &stored, sizeof stored);
    return;
  }
  const std::uint32_t bits = narrow(f, value);
  const auto half = static_cast<std::uint16_t>(bits);
  std::memcpy(element, f.bytes == 4 ? static_cast<const void*>(&bits) : &half, f.bytes);
}

double round_to(plusmax_dtype dtype, double value) {
  double element = 0;  // large enough for every type
  encode(dtype, value, &element);
  return decode(dtype, &element);
}

}  // namespace plusmax::reference
