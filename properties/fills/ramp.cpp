#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"range", 40, "from the first logit to beyond the last one", 0},
    {"centre", 0, "middle of the ramp"},
    {"descending", 0, "1: the maximum comes first", 0, 1, true},
};

static void write(const FillRow& row, std::span<double> out) {
  const double range = row.parameter("range"), low = row.parameter("centre") - range / 2;
  const bool descending = row.parameter("descending") != 0;
  const double cols = static_cast<double>(out.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const std::size_t step = descending ? out.size() - 1 - j : j;
    out[j] = low + range * (static_cast<double>(step) / cols);
  }
}

extern const Fill ramp;
const Fill ramp = {"ramp",
                   "A wrong or inverted rescale when the running maximum changes at every step; a dropped tail, which "
                   "holds the maximum.",
                   kParameters, write};

}  // namespace plusmax::properties::fills
