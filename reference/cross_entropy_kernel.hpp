// What one instruction set offers to the double-double tier of cross_entropy: three passes over the columns of a row,
// the same bits from each set. Rows lie in blocks of kChains columns, filled up with logits of -inf and weights of 0.
#pragma once

#include "reference/row_kernel.hpp"

#include <cstddef>

namespace plusmax::reference {

// Relative error of the double-double tanh, and of 1 - tanh^2 beside 2^-1020 absolutely (docs/numerics.md section 4.8).
inline constexpr double kTanhRelativeError = 0x1p-70;
inline constexpr double kCapSlopeRelativeError = 0x1p-80;

// Columns of a row as double-doubles, one array for each half. All have `blocks * kChains` elements.
struct PairColumns {
  double *hi, *lo;
};

// Over all columns but the target's; d_j = max - z_j. The smoothing sums stay 0 without weights.
struct CrossEntropySums {
  double sum_hi[kChains], sum_lo[kChains];        // of e_j = exp(-d_j), and its compensation
  double distance[kChains];                       // of e_j d_j
  double magnitude[kChains];                      // of e_j |z_j|
  double smooth_hi[kChains], smooth_lo[kChains];  // of w_j d_j
  double weight_hi[kChains], weight_lo[kChains];  // of w_j
  double abs_smooth[kChains], abs_weight[kChains], abs_weighted_logit[kChains];  // of |w_j| d_j, |w_j|, |w_j z_j|
};

struct CrossEntropyKernel {
  // z = c tanh(s x / c) and slope = 1 - tanh^2; c = 0: z = s x and slope 1. -inf stays -inf, with slope 0 under a cap.
  void (*logits)(const double* x, std::size_t blocks, double scale, double cap, const ExpTables&, PairColumns z,
                 PairColumns slope);
  // `skip` is a column, or beyond the last block for none; its e is stored as 0. weights may be null.
  void (*sums)(PairColumns z, const double* weights, std::size_t blocks, std::size_t skip, DoubleDouble max,
               const ExpTables&, PairColumns e, CrossEntropySums&);
  // p = e / sum, dx = slope (of_p p - of_weight w_j); weights null: w = 1.
  void (*gradient)(PairColumns e, PairColumns slope, const double* weights, std::size_t blocks,
                   DoubleDouble inverse_sum, DoubleDouble of_p, DoubleDouble of_weight, double* p, PairColumns dx);
};
const CrossEntropyKernel& portable_cross_entropy_kernel();
#ifdef PLUSMAX_X86_TIERS
const CrossEntropyKernel& avx2_cross_entropy_kernel();
const CrossEntropyKernel& avx512_cross_entropy_kernel();
#endif

}  // namespace plusmax::reference
