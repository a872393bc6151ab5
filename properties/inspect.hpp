// Row by row: what one variant answers for a case, what it should, and where its bound comes from.
#pragma once

#include "reference/bound.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plusmax::properties {

// How much of a case is looked at.
struct InspectLimits {
  std::int64_t rows = 0, cols = 0;
};

struct RowResult {
  std::int64_t row = 0;
  std::string result;  // "lse", "gradient[3]"; what a whole call has one of is row 0's: "mean"
  bool passed = false;
  double got = 0, want = 0, error = 0, bound = 0, ratio = 0, ulps = 0;
  std::string want_class;  // "finite", "-inf", "+inf", "NaN"
};

struct RowBound {
  std::int64_t row = 0;
  std::string result;     // as above
  std::string row_class;  // as want_class
  double want = 0;
  double bound = 0, probabilistic = 0, sum_relative = 0;
  std::vector<reference::BoundTerm> terms;  // empty unless the result is finite
};

}  // namespace plusmax::properties
