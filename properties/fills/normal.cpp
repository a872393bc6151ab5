#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"mean", 0, "centre of the logits"},
                                                {"sigma", 1, "standard deviation", 0}};

static void write(const FillRow& row, std::span<double> out) {
  const double mean = row.parameter("mean"), sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = mean + sigma * row.random.normal(j);
}

extern const Fill normal;
const Fill normal = {"normal", "A sum that drifts, a lost lane or a wrong constant on an ordinary row.", kParameters,
                     write};

}  // namespace plusmax::properties::fills
