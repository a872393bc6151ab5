#include "properties/fill.hpp"

#include <algorithm>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"value", 0, "every logit"}};

static void write(const FillRow& row, std::span<double> out) {
  std::fill(out.begin(), out.end(), row.parameter("value"));
}

extern const Fill constant;
const Fill constant = {"constant",
                       "A 16-bit accumulator that stops growing, padded lanes that read 0, a missing + max; blind to "
                       "ordinary rounding drift.",
                       kParameters, write};

}  // namespace plusmax::properties::fills
