// The one rule: classes match, then !(|got - exact| <= bound) fails; in doubt, more precision (Ziv).
#pragma once

#include "reference/bound.hpp"
#include "reference/logsumexp.hpp"

#include <span>

namespace plusmax::reference {

struct Judgement {
  bool passed = false;
  bool class_mismatch = false;  // then error and ratio are infinite
  bool certified = true;        // false: even the last precision left it undecided
  double error = 0, bound = 0, ratio = 0;  // ratio = error / bound; 0 where both are 0
  double ulps = 0;              // signed, of the result type
  double ulp = 0;               // of that type at the exact value, if gradients and losses are judged
  double probabilistic_ratio = 0;
  unsigned escalations = 0;     // how often the oracle had to be asked
  bool judged = true;           // false: nothing is promised of this result, so anything passes
};
// `row` is asked for only when the comparison falls within the reference's own error of the bound.
Judgement judge_logsumexp(double got, plusmax_dtype dtype, const LogsumexpRow& exact, const LogsumexpBound&,
                          std::span<const double> row);

}  // namespace plusmax::reference
