// The oracle of cross_entropy: the textbook formula, lse - z_y and p - 1 included, at any precision of the ladder. It
// shares no formula with the double-double tier; what cancels is paid for with more bits.
#pragma once

#include "reference/cross_entropy.hpp"
#include "reference/oracle.hpp"

#include <cstddef>

namespace plusmax::reference {

// All of a row whose results are finite, rounded to double-double; each error includes the rounding.
struct CrossEntropyOracleRow {
  Certified lse, cross_entropy, z_loss, loss;
  std::vector<Certified> gradient;  // [cols]; empty if not asked for
};

struct CrossEntropyOracle {
  const char* name;
  CrossEntropyOracleRow (*row)(const CrossEntropyInput&, unsigned bits, Outputs);
  // Is |got - result| <= bound? Answered within the error of the computation at `bits` bits, or left undecided.
  Decision (*compare)(const CrossEntropyInput&, unsigned bits, CrossEntropyQuestion, double got, double bound);
  // |claimed - tanh(y)| / |tanh(y)|, and the same for 1 - tanh(y)^2
  double (*tanh_relative_error)(DoubleDouble y, DoubleDouble claimed, unsigned bits);
  double (*cap_slope_relative_error)(DoubleDouble y, DoubleDouble claimed, unsigned bits);
};

const CrossEntropyOracle& cpp_bin_float_cross_entropy_oracle();
const CrossEntropyOracle* mpfr_cross_entropy_oracle();  // nullptr where this build has no MPFR
const CrossEntropyOracle& cross_entropy_oracle();       // MPFR, else cpp_bin_float

}  // namespace plusmax::reference
