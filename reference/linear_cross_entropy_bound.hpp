// The error bounds of linear_cross_entropy, docs/numerics.md section 3i: of a chunk's logits, and end to end.
#pragma once

#include "kernels/error_shape.h"
#include "reference/cross_entropy_bound.hpp"
#include "reference/linear_cross_entropy.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace plusmax::reference {

// What a call stores its numbers as. dW and dbias are kept in `accumulator` between chunks: f32, or, where it is asked
// for, their own type.
struct LinearStorage {
  plusmax_dtype logits = PLUSMAX_F32, dlogits = PLUSMAX_F32;  // of a chunk
  plusmax_dtype dx = PLUSMAX_F32, dw = PLUSMAX_F32, dbias = PLUSMAX_F32, accumulator = PLUSMAX_F32;
};

// End to end, of every counted token, [counted, vocab] where a column is meant.
struct LinearCrossEntropyBound {
  std::vector<ResultBound> logits;
  std::vector<double> logit_errors;  // the same as an error, infinite where a product or a stored logit may have overflowed
  std::vector<CrossEntropyBound> tokens;  // lse, loss and its parts
  std::vector<ResultBound> dlogits;
  std::vector<double> dlogit_errors;  // as logit_errors
};
LinearCrossEntropyBound linear_cross_entropy_bound(const LinearCrossEntropyInput&, const LinearCrossEntropy&,
                                                   const LinearCrossEntropyShape&, const LinearStorage&);
// Whether a kernel may report this column as a token's argmax: no other logit of its own must be larger.
// `logit_errors`: those of the token.
bool may_be_argmax(const LinearToken&, std::span<const double> logit_errors, std::int64_t column);

// Of dx_of(), dw_of() and dbias_of(), element by element. `chunks` is how often dW and dbias are stored.
std::vector<ResultBound> dx_bounds(const LinearCrossEntropyInput&, const LinearCrossEntropyBound&,
                                   const InnerProducts& dx, const LinearCrossEntropyShape&, const LinearStorage&);
std::vector<ResultBound> dw_bounds(const LinearCrossEntropyInput&, const LinearCrossEntropyBound&,
                                   const InnerProducts& dw, std::size_t chunks, const LinearCrossEntropyShape&,
                                   const LinearStorage&);
std::vector<ResultBound> dbias_bounds(const LinearCrossEntropyInput&, const LinearCrossEntropyBound&,
                                      const InnerProducts& dbias, std::size_t chunks, const LinearCrossEntropyShape&,
                                      const LinearStorage&);

}  // namespace plusmax::reference
