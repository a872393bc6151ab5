// What the steps of the double-double tier of cross_entropy share while a row is worked on.
#pragma once

#include "reference/cross_entropy.hpp"
#include "reference/cross_entropy_kernel.hpp"

#include <cstddef>
#include <vector>

namespace plusmax::reference {

// Padded columns of one row.
class Columns {
 public:
  Columns(std::size_t cols, std::size_t arrays)
      : padded_((cols + kChains - 1) / kChains * kChains), memory_(arrays * padded_) {}
  double* operator[](std::size_t array) { return memory_.data() + array * padded_; }
  std::size_t blocks() const { return padded_ / kChains; }

 private:
  std::size_t padded_;
  std::vector<double> memory_;
};
enum Array : std::size_t { kX, kZHi, kZLo, kSlopeHi, kSlopeLo, kEHi, kELo, kWeights, kP, kDxHi, kDxLo, kArrays };

// What every step below shares.
struct Work {
  const CrossEntropyInput& in;
  const CrossEntropyKernel& kernel;
  CrossEntropyRow& row;
  Columns columns;
  bool smooths;

  double* at(Array a) { return columns[a]; }
  const double* weights() { return smooths ? at(kWeights) : nullptr; }
  DoubleDouble z(std::size_t j) { return {at(kZHi)[j], at(kZLo)[j]}; }
};

inline DoubleDouble negative(DoubleDouble a) { return {-a.hi, -a.lo}; }

// A double-double logit is off by this, relative: without a cap the product s x is exact.
inline double logit_error(const CrossEntropyInput& in) { return in.options.softcap > 0 ? kTanhRelativeError : 0; }

// Logits, exponentials and every sum of `row.sizes`, whose argmax and target are known; returns the error of log S that
// is the logarithm's own.
double sum_row(Work&);
// dx, p and the coefficients, from what sum_row() and the losses left.
void fill_gradient(Work&);

// cross_entropy() on passes of the caller's choice: for the self-test, and for tests that hand it careless ones.
CrossEntropyRow cross_entropy_on(const CrossEntropyKernel&, const CrossEntropyInput&, Outputs);

}  // namespace plusmax::reference
