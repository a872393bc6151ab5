#include "properties/fill.hpp"

#include <algorithm>
#include <limits>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"value", 2.5, "the last logit"}};

static void write(const FillRow& row, std::span<double> out) {
  std::fill(out.begin(), out.end(), -std::numeric_limits<double>::infinity());
  if (!out.empty()) out.back() = row.parameter("value");
}

extern const Fill only_last_finite;
const Fill only_last_finite = {
    "only_last_finite", "NaN from tiles that are all -inf, a skipped tail, a reduction that ends before the last warp.",
    kParameters, write};

}  // namespace plusmax::properties::fills
