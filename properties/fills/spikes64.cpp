#include "properties/fill.hpp"

#include <algorithm>
#include <limits>

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"start", 0, "shift of the sweep: the spikes of row r start at column (r + start) mod ceil(cols / 64)", 0, 0x1p40,
     true},
    {"rest", -60, "every other logit", -std::numeric_limits<double>::infinity(), 0},
};

static void write(const FillRow& row, std::span<double> out) {
  const std::size_t step = (out.size() + 63) / 64;
  std::fill(out.begin(), out.end(), row.parameter("rest"));
  if (step == 0) return;
  const std::size_t first =
      (static_cast<std::size_t>(row.row) + static_cast<std::size_t>(row.parameter("start"))) % step;
  for (std::size_t j = first; j < out.size(); j += step) out[j] = 0;
}

extern const Fill spikes64;
const Fill spikes64 = {"spikes64",
                       "Any column that is lost or counted twice: 64 columns carry the whole sum, and ceil(cols / 64) "
                       "rows put every column among them once.",
                       kParameters, write};

}  // namespace plusmax::properties::fills
