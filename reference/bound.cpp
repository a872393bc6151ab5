#include "reference/bound.hpp"

#include "reference/sum_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::reference {

namespace {
// The parts of the bound, first order each, before the factor that makes them rigorous.
struct Parts {
  double argument, exponential, additions, rescales;  // of the sum, relative, first order
  double underflow;                                   // of the sum, absolute, and S >= 1
  double second_order;                                // factor on the five
  double rho;                                         // what the computed sum is off by, relative
  double sum_to_log;                                  // rho / (1 - rho)
  double log_sum, lse;                                // upper estimates of log S and |lse|
};

Parts parts_of(const LogsumexpRow& row, const ErrorShape& s) {
  const double u = s.unit_roundoff, cols = static_cast<double>(row.cols);
  const double distance = row.mean_distance + mean_distance_error(row);
  Parts p{};
  p.argument = (1 + s.exp_argument) * distance * u;
  p.exponential = s.exp_relative * u;
  p.additions = s.additions * u;
  p.rescales = (1 + s.exp_relative) * s.rescales * u;
  p.underflow = cols * (1 + s.rescales) * s.underflow;

  p.second_order = second_order_factor(s);
  p.rho = kBoundInflation * p.second_order * (p.argument + p.exponential + p.additions + p.rescales + p.underflow);
  p.sum_to_log = of_quotient(p.rho);
  p.log_sum = row.log_sum.hi * (1 + 0x1p-50) + row.error;
  // Not beyond the largest double: there the 2^-50 is far below kBoundInflation.
  p.lse = std::min(std::fabs(row.lse.hi) * (1 + 0x1p-50) + row.error, std::numeric_limits<double>::max());
  return p;
}

double deterministic(const Parts& p, const ErrorShape& s) {
  const double before = p.sum_to_log + s.log_relative * s.unit_roundoff * (p.log_sum + p.sum_to_log) + s.log_absolute;
  return kBoundInflation * (before + s.unit_roundoff * (p.lse + before));
}

// Node sums s_k / S are at most 1 and add up to at most h, so the sum of their squares is at most h; and p d <= 1/e.
double probabilistic(const Parts& p, const LogsumexpRow& row, const ErrorShape& s) {
  constexpr double kLambda = 6, kInverseE = 0.36787944117144233;
  const double u = s.unit_roundoff, a = s.exp_relative, b = s.exp_argument;
  const double distance = row.mean_distance + mean_distance_error(row);
  const double squares = s.additions + kInverseE * distance + (a + b * kInverseE) * (a + b * distance) +
                         s.rescales * (1 + a) * (1 + a);
  return kLambda * u * std::sqrt(squares) + p.underflow + s.log_relative * u * p.log_sum + s.log_absolute + u * p.lse;
}
}  // namespace

LogsumexpBound logsumexp_bound(const LogsumexpRow& row, const ErrorShape& shape) {
  if (row.value_class != ValueClass::finite) return {};  // classes are compared, not values
  const Parts p = parts_of(row, shape);
  LogsumexpBound bound;
  bound.value = deterministic(p, shape);
  bound.sum_relative = p.rho;
  bound.probabilistic = std::min(probabilistic(p, row, shape), bound.value);
  return bound;
}

std::vector<BoundTerm> explain_logsumexp_bound(const LogsumexpRow& row, const ErrorShape& s) {
  if (row.value_class != ValueClass::finite) return {};
  const Parts p = parts_of(row, s);
  const double u = s.unit_roundoff;
  std::vector<BoundTerm> terms = {
      {"rounding of x - m", "(1+b) D u", p.argument},
      {"exponential", "a u", p.exponential},
      {"additions", "h u", p.additions},
      {"rescales", "(1+a) r u", p.rescales},
      {"underflow", "n (1+r) tau", p.underflow},
      {"logarithm, relative", "l_r u log S", s.log_relative * u * p.log_sum},
      {"logarithm, absolute", "l_a", s.log_absolute},
      {"final addition", "u |lse|", u * p.lse},
  };
  double first_order = 0;
  for (const BoundTerm& t : terms) first_order += t.value;
  const double total = deterministic(p, s);
  terms.push_back({"second order", "the factors 1 + Sigma, 1/(1-rho), 1 + u", std::max(0.0, total - first_order)});
  return terms;
}

}  // namespace plusmax::reference
