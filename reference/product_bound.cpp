#include "reference/product_bound.hpp"

#include "reference/sum_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestAccumulator = std::numeric_limits<float>::max();
}  // namespace

double product_steps(const ProductShape& s, std::size_t terms) {
  // Every range may end with a step that is not full, and is then added to the rest.
  return std::ceil(static_cast<double>(terms) / s.step_terms) + (s.ranges > 1 ? 2 * s.ranges : 0);
}

double product_error(const ProductShape& s, const InnerProduct& p, std::size_t terms, double input_error) {
  const double steps = product_steps(s, terms), relative = steps * s.step_error * s.unit_roundoff;
  const double magnitude = p.magnitude + input_error, prefix = p.prefix + input_error, term = p.term + input_error;
  const double neighbours = s.ranges > 1 ? 2 * prefix : std::max(prefix, term);
  const double largest = s.ascending ? std::min(magnitude, neighbours) : magnitude;
  const double error = relative < 1 ? (relative * largest + steps * s.underflow) / (1 - relative) : kInfinity;
  return largest + error < kLargestAccumulator ? error * kBoundInflation : kInfinity;
}

}  // namespace plusmax::reference
