#include "properties/fill.hpp"

#include <algorithm>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"height", 30, "the maximum"},
    {"rest", 19.5, "every other logit"},
    {"column", 0, "column of the maximum, -1: one chosen by the seed", -1, 0x1p40, true},
};

static void write(const FillRow& row, std::span<double> out) {
  std::fill(out.begin(), out.end(), row.parameter("rest"));
  if (!out.empty()) out[row.column(out.size())] = row.parameter("height");
}

extern const Fill spike;
const Fill spike = {
    "spike", "Drift of a sequential f32 sum: one maximum and a flat rest that is far below it, but not negligible.",
    kParameters, write};

}  // namespace plusmax::properties::fills
