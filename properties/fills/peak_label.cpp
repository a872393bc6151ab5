#include "properties/fill.hpp"

#include "properties/portable_math.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {
    {"one_minus_p", 1e-6, "probability of all other columns together, about", 0x1p-1000, 1},
    {"column", -1, "column of the maximum, -1: one chosen by the seed", -1, 0x1p40, true},
};

static void write(const FillRow& row, std::span<double> out) {
  if (out.empty()) return;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = row.random.normal(j);
  // The other columns sum to cols * E[exp(N(0,1))] = cols * exp(1/2).
  out[row.column(out.size())] =
      portable_log(static_cast<double>(out.size())) + 0.5 - portable_log(row.parameter("one_minus_p"));
}

extern const Fill peak_label;
const Fill peak_label = {
    "peak_label",
    "log S instead of log1p of the sum without the maximum: all is lost as the probability of the label reaches 1.",
    kParameters, write};

}  // namespace plusmax::properties::fills
