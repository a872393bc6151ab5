// How good the functions of this backend are that results depend on, on the device that runs.
#pragma once

#include "kernels/include/plusmax/types.h"

namespace plusmax {

// Errors relative to u = 2^-24 (f32) or 2^-53 (f64): the exponential within (exp_relative + exp_argument |x|) u of
// exp(x), the logarithm within log_relative u |log| + log_absolute, log1p of a number of 0 or more, the library's tanh
// (f64) and the reciprocal of a number near 1 (f32) within their own figures, relative; underflow is what a flushed or
// subnormal exponential can be off by.
struct FunctionConstants {
  double exp_relative, exp_argument, log_relative, log_absolute, underflow, log1p_relative, tanh_relative,
      reciprocal_relative;
};

// Defined once per backend: bench/host/function_constants.cpp, platform/cuda/function_constants.cu.
FunctionConstants function_constants(plusmax_dtype dtype);

}  // namespace plusmax
