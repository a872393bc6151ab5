#include "reference/sum_bound.hpp"

#include <limits>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}  // namespace

double largest_distance(const ErrorShape& s) { return s.unit_roundoff <= 0x1p-40 ? 746 : 104; }

// prod (1 + e_i) differs from 1 by at most t (1 + t), t = sum |e_i| / (1 - max |e_i|) <= 3/2.
double second_order_factor(const ErrorShape& s) {
  const double d = largest_distance(s);
  const double largest_factor = (1 + s.exp_relative + s.exp_argument * d) * s.unit_roundoff;
  const double worst = ((1 + s.exp_argument) * d + s.exp_relative + s.additions + (1 + s.exp_relative) * s.rescales) *
                       s.unit_roundoff / (1 - largest_factor);
  const bool expands = largest_factor < 0.5 && worst <= 1.5;
  return expands ? (1 + worst) / (1 - largest_factor) : kInfinity;
}

double of_quotient(double rho) { return rho < 1 ? rho / (1 - rho) : kInfinity; }

}  // namespace plusmax::reference
