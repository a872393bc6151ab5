#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"limit", 3e4, "largest magnitude", 0}};

static void write(const FillRow& row, std::span<double> out) {
  const double limit = row.parameter("limit");
  for (std::size_t j = 0; j < out.size(); ++j) {
    // The ratio of two normal deviates has the Cauchy distribution.
    const double ratio = row.random.normal(j, 0) / row.random.normal(j, 1);
    out[j] = ratio > limit ? limit : ratio < -limit ? -limit : ratio == ratio ? ratio : 0;
  }
}

extern const Fill heavy_tail;
const Fill heavy_tail = {
    "heavy_tail",
    "A missing or inverted rescale and a 16-bit result: Cauchy logits, clipped, whose maximum dwarfs the rest.",
    kParameters, write};

}  // namespace plusmax::properties::fills
