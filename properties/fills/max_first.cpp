#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"value", 25, "the first logit"},
    {"sigma", 1, "standard deviation of the other logits", 0},
};

static void write(const FillRow& row, std::span<double> out) {
  const double sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = sigma * row.random.normal(j);
  if (!out.empty()) out.front() = row.parameter("value");
}

extern const Fill max_first;
const Fill max_first = {"max_first", "A first element that is skipped, and a maximum of the later lanes only.",
                        kParameters, write};

}  // namespace plusmax::properties::fills
