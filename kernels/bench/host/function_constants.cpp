#include "kernels/platform/function_constants.hpp"

namespace plusmax {

// f32: the exponential stands in for ex2.approx((x - m) log2 e). The bound is CUDA's for that instruction (2 ulp from
// the correctly rounded result: 2.5 ulp, 5 u), which glibc's exp2f (0.502 ulp) leaves to the error that approx_noise
// adds; the product with log2 e costs (1 + 0.224) u |x|. Sweep of all floats without noise: docs/kernels/functions.md.
// logf is glibc's, 0.818 ulp by its own table, at most twice that in u. Subnormal results are flushed, as on the
// device. log1pf: at most 2 ulp by the table of glibc's manual, an ulp being at most 2 u. The reciprocal is a division
// with as much noise as its rounding, rounded again. f64: glibc's exp and log, below 0.53 ulp by their own tables;
// log1p 1 ulp and tanh 2 ulp by the manual's.
FunctionConstants function_constants(plusmax_dtype dtype) {
  if (dtype == PLUSMAX_F64) return {1.06, 0, 1.06, 0, 0x1p-1074, 2, 4, 0};
  return {5, 1.23, 1.64, 0, 0x1p-126, 4, 0, 3};
}

}  // namespace plusmax
