#include "properties/fill.hpp"

#include <limits>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"sigma", 1, "standard deviation of the other logits", 0}};

static void write(const FillRow& row, std::span<double> out) {
  const double sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = j < out.size() / 2 ? -std::numeric_limits<double>::infinity() : sigma * row.random.normal(j);
}

extern const Fill first_half_negative_infinity;
const Fill first_half_negative_infinity = {"first_half_negative_infinity",
                                           "-inf - -inf in the first tiles, and a maximum that starts from them.",
                                           kParameters, write};

}  // namespace plusmax::properties::fills
