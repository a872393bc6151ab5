#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"period", 8, "columns of the pattern", 1, 0x1p40, true},
    {"sigma", 3, "standard deviation of the pattern", 0},
};

static void write(const FillRow& row, std::span<double> out) {
  const std::size_t period = static_cast<std::size_t>(row.parameter("period"));
  const double sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = sigma * row.random.normal(j % period);
}

extern const Fill duplicated;
const Fill duplicated = {
    "duplicated",
    "Elements read twice or not at all in blocks: the row repeats one pattern, so each block adds the same amount.",
    kParameters, write};

}  // namespace plusmax::properties::fills
