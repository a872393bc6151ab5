#include "properties/fill.hpp"

#include <limits>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"share", 0.5, "probability of -inf", 0, 1},
    {"sigma", 1, "standard deviation of the other logits", 0},
};

static void write(const FillRow& row, std::span<double> out) {
  const double share = row.parameter("share"), sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = row.random.uniform(j, 1) < share ? -std::numeric_limits<double>::infinity() : sigma * row.random.normal(j);
}

extern const Fill masked;
const Fill masked = {"masked",
                     "NaN from masked logits: each logit is -inf with a probability, as an attention mask leaves it.",
                     kParameters, write};

}  // namespace plusmax::properties::fills
