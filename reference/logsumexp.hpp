// The certified reference of one row: double-double inside, its own error bound with the result.
#pragma once

#include "reference/double_double.hpp"
#include "reference/error.hpp"

#include <cstddef>
#include <span>

namespace plusmax::reference {

// Symbols of docs/numerics.md section 1. For a row that is not finite only `value_class` is meaningful.
struct LogsumexpRow {
  ValueClass value_class = ValueClass::negative_infinity;  // of lse: the special-value table, section 7
  std::size_t cols = 0;
  double max = 0;                // m
  std::size_t argmax = 0;        // lowest index of m
  DoubleDouble sum;              // S = sum_j exp(x_j - m)
  DoubleDouble sum_without_max;  // S1 = S - 1, summed without the column argmax
  DoubleDouble log_sum;          // log S
  DoubleDouble lse;              // m + log S
  double mean_distance = 0;      // D = sum_j p_j (m - x_j)
  double error = 0;              // |lse.hi + lse.lo - exact| <= error, proved in docs/numerics.md section 4
};

// `row` holds the stored logits, exact. The fastest tier of this machine (AVX-512, AVX2 or portable: same bits on each).
LogsumexpRow logsumexp(std::span<const float> row);
LogsumexpRow logsumexp(std::span<const double> row);

enum class Tier { portable, avx2, avx512 };
Tier best_tier();
bool tier_available(Tier);  // compiled in, and this CPU runs it; a row asked of another tier is std::invalid_argument
const char* name_of(Tier);
LogsumexpRow logsumexp(std::span<const float> row, Tier);
LogsumexpRow logsumexp(std::span<const double> row, Tier);

// Relative error of `sum` and `sum_without_max` of a row of so many columns, beside 2^-1021 a column (docs/numerics.md 4.2).
double sum_relative_error(std::size_t cols);
// Absolute error of `mean_distance`, a plain double sum.
double mean_distance_error(const LogsumexpRow&);

// lse by Boost.Multiprecision with at least `bits` bits, as a double-double (its own rounding included in `error`).
struct OracleLse {
  DoubleDouble lse;
  double error = 0;
};
OracleLse logsumexp_oracle(std::span<const double> row, unsigned bits);
const char* oracle_backend();  // "mpfr" or "cpp_bin_float"

// Compares the double-double exponential with the oracle on a fixed sample; returns the largest relative error found.
// Throws std::logic_error if it exceeds the proved bound: a build with contraction or fast-math is not a reference.
double self_test();

}  // namespace plusmax::reference
