#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"value", 8, "smallest logit"},
    {"width", 1e-5, "of the interval they share", 0},
};

static void write(const FillRow& row, std::span<double> out) {
  const double value = row.parameter("value"), width = row.parameter("width");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = value + width * row.random.uniform(j);
}

extern const Fill tiny_range;
const Fill tiny_range = {"tiny_range",
                         "An exponential argument rounded to 16 bits, and a maximum taken from rounded logits: all "
                         "differ in their last bits only.",
                         kParameters, write};

}  // namespace plusmax::properties::fills
