#include "properties/fill.hpp"

#include "reference/dtype.hpp"

namespace plusmax::properties::fills {

static constexpr FillParameter kParameters[] = {{"positive", 0.5, "share of positive logits", 0, 1}};

static void write(const FillRow& row, std::span<double> out) {
  // The harness computes in double: there, sums of two f64 logits must stay finite.
  const double largest = reference::largest(row.of.dtype) / (row.of.dtype == PLUSMAX_F64 ? 4 : 1),
               positive = row.parameter("positive");
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double magnitude = largest * (0.5 + 0.5 * row.random.uniform(j));
    out[j] = row.random.uniform(j, 1) < positive ? magnitude : -magnitude;
  }
}

extern const Fill huge;
const Fill huge = {"huge",
                   "Overflow in x - m, in a finite stand-in for -inf, or in a difference of extremes: magnitudes "
                   "within one binade of the largest.",
                   kParameters, write};

}  // namespace plusmax::properties::fills
