// The deterministic error bounds of cross_entropy, derived in docs/numerics.md sections 3d to 3f.
#pragma once

#include "kernels/error_shape.h"
#include "reference/bound.hpp"
#include "reference/cross_entropy.hpp"

#include <cstddef>
#include <vector>

namespace plusmax::reference {

struct ResultBound {
  double value = 0;      // |computed - exact| <= value, the rounding to the result's type included
  double unrounded = 0;  // the same before a 16-bit output's own rounding; equal to value for f32 and f64
  bool judged = true;    // false: an intermediate of the formula leaves the accumulation type, nothing is promised
};

// What the bounds of a row share; one evaluation a row, then a few operations an element.
struct CrossEntropyBound {
  ResultBound lse, cross_entropy, z_loss, loss;

  double second_order = 1;        // of one exponential
  double sum_relative = 0;        // rho/(1-rho) of S
  double without_target = 0;      // absolute, of S_x
  double logit_relative = 0;      // tau_z
  double logit_absolute = 0;      // of an underflown logit
  double spread = 0, growth = 1;  // how far a rounded logit can lie from z, and exp(2 spread)
  double shift = 0;               // what these logits move lse by
  double nll_shift = 0;           // and lse - z_y
  double amplification = 1;       // the largest product that factors of a gradient coefficient can make
};
// What logit_errors move z_j by: the cap passes on s times its slope, which grows by exp(2 s error / c) at most.
double logit_move(const CrossEntropyInput&, const CrossEntropyRow&, std::size_t column);

// For rows whose lse is finite; all zero and judged otherwise, for then classes decide.
CrossEntropyBound cross_entropy_bound(const CrossEntropyInput&, const CrossEntropyRow&, const CrossEntropyShape&);

// Of dx_j, stored as `output`. Zero, that is exact, where the gradient is zero by contract.
ResultBound cross_entropy_gradient_bound(const CrossEntropyInput&, const CrossEntropyRow&, const CrossEntropyShape&,
                                         const CrossEntropyBound&, std::size_t column, plusmax_dtype output);

// Either of the two, by name. `output`: the type that a gradient is stored in.
ResultBound cross_entropy_result_bound(const CrossEntropyInput&, const CrossEntropyRow&, const CrossEntropyShape&,
                                       const CrossEntropyBound&, CrossEntropyQuestion, plusmax_dtype output);

// Cause by cause: what the bound loses as one after the other is taken away. Adds up to it; the last term is what
// remains.
std::vector<BoundTerm> explain_cross_entropy_bound(const CrossEntropyInput&, const CrossEntropyRow&,
                                                   const CrossEntropyShape&, CrossEntropyQuestion,
                                                   plusmax_dtype output);

}  // namespace plusmax::reference
