#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"excess", 60, "the one large logit"},
    {"sigma", 1, "standard deviation of the other logits", 0},
    {"column", -1, "column of the maximum, -1: one chosen by the seed", -1, 0x1p40, true},
};

static void write(const FillRow& row, std::span<double> out) {
  const double sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = sigma * row.random.normal(j);
  if (!out.empty()) out[row.column(out.size())] = row.parameter("excess");
}

extern const Fill peak;
const Fill peak = {"peak",
                   "Normalisation of a row with one dominant logit: a probability of 1 that must not become 1 + u.",
                   kParameters, write};

}  // namespace plusmax::properties::fills
