#include "properties/fill.hpp"

#include <algorithm>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"row", 0, "index of the row that differs", 0, 0x1p40, true},
    {"value", 1, "its logits"},
    {"rest", 0, "logits of all other rows"},
};

static void write(const FillRow& row, std::span<double> out) {
  const bool differs = static_cast<double>(row.row) == row.parameter("row");
  std::fill(out.begin(), out.end(), row.parameter(differs ? "value" : "rest"));
}

extern const Fill one_row;
const Fill one_row = {"one_row",
                      "A row offset computed in 32 bits: one row far into the buffer differs from all others.",
                      kParameters, write};

}  // namespace plusmax::properties::fills
