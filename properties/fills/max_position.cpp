#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"column", -1, "column of the maximum, -1: one chosen by the seed", -1, 0x1p40, true},
    {"top", 10, "the maximum"},
    {"step", 0.5, "fall per column", 0},
};

static void write(const FillRow& row, std::span<double> out) {
  if (out.empty()) return;
  const std::size_t peak = row.column(out.size());
  const double top = row.parameter("top"), step = row.parameter("step");
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = top - step * static_cast<double>(j > peak ? j - peak : peak - j);
}

extern const Fill max_position;
const Fill max_position = {
    "max_position",
    "A maximum that is only found in some columns: logits rise to it and fall behind it, one step a column.",
    kParameters, write};

}  // namespace plusmax::properties::fills
