// The one rule of verdict.hpp for the results of cross_entropy, one number at a time.
#pragma once

#include "reference/cross_entropy_bound.hpp"
#include "reference/cross_entropy_oracle.hpp"
#include "reference/cross_entropy_reduction.hpp"
#include "reference/verdict.hpp"

namespace plusmax::reference {

// `stored` is the type that `got` was stored in: result_dtype() of the logits for loss, z-loss and lse, theirs for the
// gradient. `exact` and the bound are those of the question; the input is asked only when a comparison falls within the
// reference's own error of the bound.
Judgement judge_cross_entropy(double got, plusmax_dtype stored, const Certified& exact, const ResultBound&,
                              const CrossEntropyInput&, CrossEntropyQuestion);

// No oracle stands behind these: within the reference's own error of the bound they stay uncertified.
Judgement judge_certified(double got, plusmax_dtype stored, const Certified& exact, const ResultBound&);
Judgement judge_reduced_loss(double got, plusmax_dtype stored, const ReducedLoss&);

// A gradient element that is zero by contract: +0 and nothing else.
Judgement judge_zero(double got);

}  // namespace plusmax::reference
