#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"value", 1000, "common offset"},
    {"sigma", 2, "standard deviation around it", 0},
    {"peak", 0, "added to the offset in one column instead of noise; 0: no such column"},
    {"column", -1, "column of the maximum, -1: one chosen by the seed", -1, 0x1p40, true},
};

static void write(const FillRow& row, std::span<double> out) {
  const double value = row.parameter("value"), sigma = row.parameter("sigma"), peak = row.parameter("peak");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = value + sigma * row.random.normal(j);
  if (peak != 0 && !out.empty()) out[row.column(out.size())] = value + peak;
}

extern const Fill offset;
const Fill offset = {"offset",
                     "A missing + max or a missing shift, at a common offset far from 0; x_t - lse computed after the "
                     "offset has eaten the bits.",
                     kParameters, write};

}  // namespace plusmax::properties::fills
