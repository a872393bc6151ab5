// bf16 and fp16 as storage types: convert, compute in float, convert back (to nearest, ties to even). The conversions
// give the bits that CUDA's own give on the host, NaN included.
#pragma once

#include <cstdint>
#include <cstring>

struct __attribute__((may_alias)) __nv_bfloat16 {
  std::uint16_t x;
};
struct __attribute__((may_alias)) __half {
  std::uint16_t x;
};

inline float __bfloat162float(__nv_bfloat16 h) {
  const std::uint32_t bits = std::uint32_t(h.x) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {0x7fff};  // CUDA's one NaN
  return {std::uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}
inline __nv_bfloat16 __float2bfloat16(float value) { return __float2bfloat16_rn(value); }

inline float __half2float(__half h) {
  const std::uint32_t sign = std::uint32_t(h.x & 0x8000u) << 16, exponent = (h.x >> 10) & 31u, fraction = h.x & 0x3ffu;
  std::uint32_t bits;
  if (exponent == 31) {
    bits = fraction ? 0x7fffffffu : sign | 0x7f800000u;  // any NaN becomes the one NaN, as on the device
  } else if (exponent) {
    bits = sign | ((exponent + 112u) << 23) | (fraction << 13);
  } else {  // zero or subnormal: fraction * 2^-24 is exact
    const float magnitude = float(fraction) * 0x1p-24f;
    std::memcpy(&bits, &magnitude, sizeof bits);
    bits |= sign;
  }
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline __half __float2half_rn(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {0x7fff};
  if (magnitude >= 0x477ff000u) return {std::uint16_t(sign | 0x7c00u)};  // 65520 and more round to infinity
  if (magnitude < 0x38800000u) {                                         // below 2^-14: subnormal or zero
    float rounded;
    std::memcpy(&rounded, &magnitude, sizeof rounded);
    rounded += 0.5f;  // the adder rounds to a multiple of 2^-24, ties to even
    std::uint32_t sum;
    std::memcpy(&sum, &rounded, sizeof sum);
    return {std::uint16_t(sign | (sum - 0x3f000000u))};
  }
  return {std::uint16_t(sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13))};
}
inline __half __float2half(float value) { return __float2half_rn(value); }
