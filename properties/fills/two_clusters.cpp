#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"depth", 8, "of the lower half below the upper one"},
    {"sigma", 0.1, "standard deviation within a cluster", 0},
};

static void write(const FillRow& row, std::span<double> out) {
  const double depth = row.parameter("depth"), sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = (row.random.bits(j, 1) & 1 ? 0 : -depth) + sigma * row.random.normal(j);
}

extern const Fill two_clusters;
const Fill two_clusters = {
    "two_clusters", "A sum that swallows the smaller terms: half the logits are far below the other half, yet count.",
    kParameters, write};

}  // namespace plusmax::properties::fills
