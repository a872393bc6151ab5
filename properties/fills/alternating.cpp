#include "properties/fill.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"value", 30, "odd columns; even ones are its negative"}};

static void write(const FillRow& row, std::span<double> out) {
  const double value = row.parameter("value");
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = j % 2 == 1 ? value : -value;
}

extern const Fill alternating;
const Fill alternating = {"alternating", "Lanes of one parity that are lost or read twice: only odd columns count.",
                          kParameters, write};

}  // namespace plusmax::properties::fills
