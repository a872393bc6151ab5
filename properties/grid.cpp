#include "properties/grid.hpp"

#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties {

Grid grid_of(plusmax_dtype dtype) {
  const int bits = reference::precision_bits(dtype);
  const double depth = std::min(128.0, std::ldexp(1, bits / 2));
  const double reach = std::min(8192.0, std::max(depth, std::ldexp(1, bits - 10)));
  return {depth, reach, std::ldexp(2 * reach, -bits)};
}

void settle(const Grid& grid, double max, double floor, std::span<const double> in, std::span<double> out) {
  for (std::size_t j = 0; j < in.size(); ++j) {
    const double z = std::rint((in[j] - max) / grid.step) * grid.step;
    out[j] = z >= -grid.depth ? z : floor;
  }
}

double offset(const Grid& grid, const Random& random, int k) {
  const double size = k < 2 ? grid.reach : grid.reach * (0.05 + 0.95 * random.uniform(static_cast<std::uint64_t>(k)));
  return (k % 2 ? -1 : 1) * std::floor(size / grid.step) * grid.step;
}

}  // namespace plusmax::properties
