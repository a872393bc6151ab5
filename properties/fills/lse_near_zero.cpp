#include "properties/fill.hpp"

#include "properties/portable_math.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"sigma", 1e-3, "standard deviation around -log cols", 0}};

static void write(const FillRow& row, std::span<double> out) {
  if (out.empty()) return;
  const double centre = -portable_log(static_cast<double>(out.size())), sigma = row.parameter("sigma");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = centre + sigma * row.random.normal(j);
}

extern const Fill lse_near_zero;
const Fill lse_near_zero = {
    "lse_near_zero",
    "A relative tolerance, or ulps of the result, as the criterion: the maximum and log S cancel here.", kParameters,
    write};

}  // namespace plusmax::properties::fills
