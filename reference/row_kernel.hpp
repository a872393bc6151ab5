// What one instruction set offers to the double-double tier. Every one gives the same bits: element i belongs to chain
// i mod kChains whatever the vector width, and each chain adds its elements in ascending order.
#pragma once

#include "reference/double_double.hpp"

#include <cstddef>

namespace plusmax::reference {

inline constexpr int kTableBits = 9;
inline constexpr int kTableSize = 1 << kTableBits;

// 2^(j/512) as double pairs, and ln2/512 = step1 + step2 + step3 with 32 bits in step1.
struct ExpTables {
  alignas(64) double power_hi[kTableSize];
  alignas(64) double power_lo[kTableSize];
  double inverse_step;  // 512 / ln2
  double step1, step2, step3;
};
const ExpTables& exp_tables();  // computed at first use, without MPFR

inline constexpr std::size_t kChains = 32;

struct RowScan {
  double max = 0;          // NaN elements left out
  std::size_t argmax = 0;  // lowest index of max
  bool has_nan = false;
};

// Chain sums over the row without column argmax: sum + compensation of exp(x_j - max), and sum of exp(x_j - max)(x_j - max).
struct ChainSums {
  double hi[kChains], lo[kChains], weighted[kChains];
};

struct RowKernel {
  RowScan (*scan_f32)(const float*, std::size_t cols);
  RowScan (*scan_f64)(const double*, std::size_t cols);
  void (*sum_f32)(const float*, std::size_t cols, double max, std::size_t argmax, const ExpTables&, ChainSums&);
  void (*sum_f64)(const double*, std::size_t cols, double max, std::size_t argmax, const ExpTables&, ChainSums&);
  void (*exponentials)(const DoubleDouble* x, DoubleDouble* y, std::size_t count, const ExpTables&);
};
const RowKernel& portable_row_kernel();
#ifdef PLUSMAX_X86_TIERS
const RowKernel& avx2_row_kernel();
const RowKernel& avx512_row_kernel();
#endif

}  // namespace plusmax::reference
