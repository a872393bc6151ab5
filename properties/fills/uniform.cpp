#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"low", 0, "smallest logit", -0x1.fffffffffffffp1021, 0x1.fffffffffffffp1021},
    {"high", 1, "bound that no logit reaches", -0x1.fffffffffffffp1021, 0x1.fffffffffffffp1021},
};

static void write(const FillRow& row, std::span<double> out) {
  const double low = row.parameter("low"), width = row.parameter("high") - low;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = low + width * row.random.uniform(j);
}

extern const Fill uniform;
const Fill uniform = {
    "uniform",
    "A constant bias, a finite identity of the maximum (low and high below -104) or a missing shift (above 88).",
    kParameters, write};

}  // namespace plusmax::properties::fills
