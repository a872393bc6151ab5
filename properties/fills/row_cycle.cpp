#include "properties/fill.hpp"

#include <algorithm>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"period", 4, "rows until the values repeat", 1, 0x1p40, true},
    {"base", 0, "logits of row 0"},
    {"step", 1, "from one row to the next"},
};

static void write(const FillRow& row, std::span<double> out) {
  const auto period = static_cast<std::int64_t>(row.parameter("period"));
  std::fill(out.begin(), out.end(),
            row.parameter("base") + static_cast<double>(row.row % period) * row.parameter("step"));
}

extern const Fill row_cycle;
const Fill row_cycle = {"row_cycle",
                        "Rows that get a neighbour's result: every row is constant, and differs from the next one.",
                        kParameters, write};

}  // namespace plusmax::properties::fills
