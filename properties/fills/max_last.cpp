#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"value", 25, "the last logit"},
    {"sigma", 1, "standard deviation of the other logits", 0},
};

static void write(const FillRow& row, std::span<double> out) {
  const double sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = sigma * row.random.normal(j);
  if (!out.empty()) out.back() = row.parameter("value");
}

extern const Fill max_last;
const Fill max_last = {
    "max_last", "A dropped or doubled tail, and an online sum that does not rescale when the maximum comes last.",
    kParameters, write};

}  // namespace plusmax::properties::fills
