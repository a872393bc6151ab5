#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static void write(const FillRow& row, std::span<double> out) {
  // ((37 row + 11 column) mod 17) / 4, as integers below 2^64
  const std::uint64_t start = static_cast<std::uint64_t>(row.row) % 17 * 37;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<double>((start + j % 17 * 11) % 17) / 4;
}

extern const Fill modular;
const Fill modular = {
    "modular",
    "Results that change from run to run or with the grid: quarter steps that differ between rows and repeat every 17.",
    {},
    write};

}  // namespace plusmax::properties::fills
