// Counter-based random numbers: a pure function of (key, counter), so data never depend on order or threads.
#pragma once

#include <cstdint>

namespace plusmax::properties {

constexpr std::uint64_t mix(std::uint64_t z) {  // finalizer of SplitMix64 (Steele, Lea, Flood 2014)
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return mix(mix(a + 0x9E3779B97F4A7C15ull) ^ (b + 0xD1B54A32D192ED03ull));
}

struct Random {
  std::uint64_t key = 0;
  constexpr std::uint64_t bits(std::uint64_t counter, std::uint64_t stream = 0) const {
    return mix(mix(key, stream), counter);
  }
  // [0, 1), 53 bits
  constexpr double uniform(std::uint64_t counter, std::uint64_t stream = 0) const {
    return static_cast<double>(bits(counter, stream) >> 11) * 0x1p-53;
  }
  // N(0,1) from arithmetic that every machine rounds alike: no libm. |value| <= 8.58, the deviate of probability 2^-53.
  double normal(std::uint64_t counter, std::uint64_t stream = 0) const;
};

}  // namespace plusmax::properties
