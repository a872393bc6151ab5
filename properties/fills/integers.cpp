#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"low", -8, "smallest", -0x1p31, 0x1p31, true},
    {"high", 8, "largest", -0x1p31, 0x1p31, true},
};

static void write(const FillRow& row, std::span<double> out) {
  const double low = row.parameter("low"), high = row.parameter("high");
  const auto count = static_cast<std::uint64_t>(high >= low ? high - low : 0) + 1;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = low + static_cast<double>(row.random.bits(j) % count);
}

extern const Fill integers;
const Fill integers = {
    "integers",
    "A shift, an order or a split that changes bits it must not: whole numbers, to which whole numbers add exactly.",
    kParameters, write};

}  // namespace plusmax::properties::fills
