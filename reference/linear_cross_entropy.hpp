// The certified reference of linear_cross_entropy: cross_entropy on z = X W^T + bias, with the gradients of X, W and
// bias. Every factor is an f32, f16 or bf16 number, given as a double. Proof: docs/numerics.md section 4.10.
#pragma once

#include "reference/cross_entropy.hpp"
#include "reference/inner_product.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plusmax::reference {

struct LinearCrossEntropyInput {
  std::size_t tokens = 0, vocab = 0, features = 0;
  std::span<const double> x;              // [tokens, features]; rows of ignored tokens are never looked at
  std::span<const double> w;              // [vocab, features], or the first rows of it, which repeat
  std::size_t distinct_classes = 0;       // so many rows; 0: vocab
  std::span<const double> bias;           // [vocab], or empty; -inf masks a column
  std::span<const std::int64_t> targets;  // [tokens]
  std::int64_t ignore_index = -100;
  CrossEntropyOptions options;
  std::span<const float> class_weights;  // [vocab], or empty: all 1
  std::span<const double> upstream;      // [tokens], or one number for all, or empty: 1
  Divisors divisors;                     // of the whole batch
};

// One token that is not ignored.
struct LinearToken {
  std::size_t token = 0;
  std::vector<double> logits;           // [vocab] z, rounded to double
  std::vector<double> logit_errors;     // [vocab] |logits - z| <= logit_errors
  CrossEntropyRow row;                  // on `logits`; the errors of its numbers hold for z
  std::vector<double> gradient;         // [vocab] of z, rounded to double; NaN throughout where the row has none
  std::vector<double> gradient_errors;  // [vocab] absolute
};

struct LinearCrossEntropy {
  InnerProducts products;           // X W^T without the bias, [counted, rows of w]
  std::vector<LinearToken> tokens;  // [counted] in order: all but ignored ones
};
// Throws std::invalid_argument for sizes that do not fit, options out of range, infinite elements of W, and of X where
// a token counts.
LinearCrossEntropy linear_cross_entropy(const LinearCrossEntropyInput&);

// Of a class: its row of w.
inline std::size_t weight_row(const LinearCrossEntropyInput& in, std::size_t column) {
  return in.distinct_classes == 0 ? column : column % in.distinct_classes;
}

Certified linear_logit(const LinearToken&, std::size_t column);

// The row of a token as cross_entropy's functions take it, with these errors of its logits. It refers to both
// arguments.
CrossEntropyInput token_input(const LinearCrossEntropyInput&, const LinearToken&, std::span<const double> logit_errors);

std::vector<double> counted_x(const LinearCrossEntropyInput&);  // [counted, features] X without ignored tokens

// Certified gradients; those of dX are for counted tokens, the rows of ignored ones are +0.
InnerProducts dx_of(const LinearCrossEntropyInput&, const LinearCrossEntropy&);  // [counted, features]
// Over the counted tokens. `ends`: counts of them after which a chunk ends. `before`: what the sum is added to, or
// empty.
InnerProducts dw_of(const LinearCrossEntropyInput&, const LinearCrossEntropy&, std::span<const std::size_t> ends,
                    std::span<const double> before = {});  // [vocab, features]
InnerProducts dbias_of(const LinearCrossEntropyInput&, const LinearCrossEntropy&, std::span<const std::size_t> ends,
                       std::span<const double> before = {});  // [vocab, 1]

// Ends of the chunks of `chunk` tokens each: of counted ones, or, where ignored tokens stay in their chunks, of all.
enum class IgnoredTokens { left_out, kept };
std::vector<std::size_t> chunk_ends(const LinearCrossEntropyInput&, std::size_t chunk, IgnoredTokens);

}  // namespace plusmax::reference
