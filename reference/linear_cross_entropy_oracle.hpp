// The oracle of linear_cross_entropy: exact logits, the textbook formula of cross_entropy, plain sums. For small
// shapes.
#pragma once

#include "reference/cross_entropy_oracle.hpp"
#include "reference/linear_cross_entropy.hpp"

#include <vector>

namespace plusmax::reference {

// A product of two f32 numbers is a multiple of 2^-298 below 2^256: with this many bits a sum of 2^32 of them is exact.
inline constexpr unsigned kExactSumBits = 640;

// Of the counted tokens, each error with the rounding to double-double.
struct LinearCrossEntropyOracleAnswer {
  std::vector<Certified> logits;            // [counted, vocab]
  std::vector<CrossEntropyOracleRow> rows;  // [counted]
  std::vector<Certified> dx, dw, dbias;     // [counted, features], [vocab, features], [vocab]
};

// At kExactSumBits. For tokens with a finite row and a target within the vocab.
struct LinearCrossEntropyOracle {
  const char* name;
  LinearCrossEntropyOracleAnswer (*answer)(const LinearCrossEntropyInput&);
};
const LinearCrossEntropyOracle& cpp_bin_float_linear_cross_entropy_oracle();
const LinearCrossEntropyOracle* mpfr_linear_cross_entropy_oracle();  // nullptr where this build has no MPFR
const LinearCrossEntropyOracle& linear_cross_entropy_oracle();       // MPFR, else cpp_bin_float

}  // namespace plusmax::reference
