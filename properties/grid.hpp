// Logits on a grid, so that adding the same number to each of them is exact.
#pragma once

#include "kernels/include/plusmax/types.h"
#include "properties/random.hpp"

#include <span>

namespace plusmax::properties {

// x = z + c is exact for z on a grid of `step` in [-depth, 0] and |c| <= reach, on the grid too.
struct Grid {
  double depth, reach, step;
};
Grid grid_of(plusmax_dtype);

// The row on the grid with its maximum, `max`, at exactly 0; `floor` in place of what lies deeper.
void settle(const Grid&, double max, double floor, std::span<const double> in, std::span<double> out);

// The k-th offset: over the whole reach, both signs, the first two at its ends.
double offset(const Grid&, const Random&, int k);

}  // namespace plusmax::properties
