#include "properties/fill.hpp"

#include <algorithm>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"depth", 9.7, "of the other logits below the maximum; not a power of two apart", 0},
    {"top", 0, "the maximum"},
    {"column", -1, "column of the maximum, -1: one chosen by the seed", -1, 0x1p40, true},
};

static void write(const FillRow& row, std::span<double> out) {
  const double top = row.parameter("top");
  std::fill(out.begin(), out.end(), top - row.parameter("depth"));
  if (!out.empty()) out[row.column(out.size())] = top;
}

extern const Fill plateau;
const Fill plateau = {"plateau",
                      "A sum whose every addition rounds the same way: naive f32 accumulation and the true addition "
                      "depth of the bound; online sums without a rescale.",
                      kParameters, write};

}  // namespace plusmax::properties::fills
