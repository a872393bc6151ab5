// The deterministic error bound of logsumexp, term by term, and the probabilistic one, which only warns.
#pragma once

#include "kernels/error_shape.h"
#include "reference/logsumexp.hpp"

#include <string>
#include <vector>

namespace plusmax::reference {

struct BoundTerm {
  std::string name;     // "argument rounding"
  std::string formula;  // "(1+b) D u"
  double value;         // its share of the absolute bound
};
struct LogsumexpBound {
  double value = 0;          // |computed - exact| <= value, rounded up: docs/numerics.md section 3a
  double sum_relative = 0;   // rho, of the sum alone
  double probabilistic = 0;  // lambda = 6; a warning, not a verdict
};
LogsumexpBound logsumexp_bound(const LogsumexpRow&, const ErrorShape&);
std::vector<BoundTerm> explain_logsumexp_bound(const LogsumexpRow&, const ErrorShape&);

}  // namespace plusmax::reference
