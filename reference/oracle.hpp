// The oracle: the plain formula in Boost.Multiprecision, at any of a ladder of precisions. Slow, and shares nothing with the
// double-double tier. One backend per multiprecision library; every build has cpp_bin_float, MPFR where it was found.
#pragma once

#include "reference/logsumexp.hpp"

#include <span>

namespace plusmax::reference {

inline constexpr unsigned kFirstOracleBits = 160, kLastOracleBits = 10240;  // the ladder: each step doubles, or more

enum class Decision { within, beyond, undecided };

// A finite row, all of it: LogsumexpRow as the oracle sees it, rounded to double-double.
struct OracleRow {
  DoubleDouble sum_without_max, log_sum, lse;
  double mean_distance = 0;
  double error = 0;  // of lse: absolute, its rounding to double-double included
};

struct OracleBackend {
  const char* name;
  OracleRow (*row)(std::span<const double> row, unsigned bits);
  // Is |got - lse(row)| <= bound? Answered within the error of the computation at `bits` bits, or left undecided.
  Decision (*compare)(std::span<const double> row, unsigned bits, double got, double bound);
  // |claimed - exp(x)| / exp(x)
  double (*exp_relative_error)(DoubleDouble x, DoubleDouble claimed, unsigned bits);
};

const OracleBackend& cpp_bin_float_oracle();
const OracleBackend* mpfr_oracle();  // nullptr where this build has no MPFR
const OracleBackend& oracle();       // MPFR, else cpp_bin_float

// Elements per second of the loop everybody would write: sum of exp(x - max) in cpp_bin_float_50.
double plain_loop_elements_per_second(std::span<const float> row);

}  // namespace plusmax::reference
