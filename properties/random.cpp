#include "properties/random.hpp"

#include "properties/portable_math.hpp"

#include <cmath>

namespace plusmax::properties {

// Box and Muller (1958), one of the pair: sqrt(-2 log u) cos(2 pi v).
double Random::normal(std::uint64_t counter, std::uint64_t stream) const {
  const std::uint64_t first = bits(counter, stream);
  const double u = static_cast<double>((first >> 11) + 1) * 0x1p-53;                         // (0, 1]
  const double v = static_cast<double>(mix(first + 0x9E3779B97F4A7C15ull) >> 11) * 0x1p-53;  // [0, 1)
  return std::sqrt(-2 * portable_log(u)) * portable_cos_turns(v);
}

}  // namespace plusmax::properties
