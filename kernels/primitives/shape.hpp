// The numbers of an error shape that do not depend on the operation.
#pragma once

#include "kernels/error_shape.h"
#include "kernels/platform/function_constants.hpp"
#include "kernels/primitives/online.cuh"

namespace plusmax {

// batch_additions of online.cuh for a dtype known only now
constexpr int batch_additions(plusmax_dtype dtype, int vectors) {
  return dtype == PLUSMAX_F64   ? batch_additions<double>(vectors)
         : dtype == PLUSMAX_F32 ? batch_additions<float>(vectors)
                                : batch_additions<__nv_bfloat16>(vectors);
}

inline ErrorShape shape_of(plusmax_dtype dtype, double additions, double rescales) {
  const FunctionConstants f = function_constants(dtype);
  return {dtype == PLUSMAX_F64 ? 0x1p-53 : 0x1p-24,
          additions > 0 ? additions : 0,
          rescales > 0 ? rescales : 0,
          f.exp_relative,
          f.exp_argument,
          f.log_relative,
          f.log_absolute,
          f.underflow};
}

// tanh and 1 - tanh^2 of math.cuh, the latter beside its exponential, in u. In f32 they have what their primitives are
// off by, and tanh the most of it at kTanhNear: docs/numerics.md section 3d.
struct TanhErrors {
  double value, slope;
};
inline TanhErrors tanh_errors(plusmax_dtype dtype) {
  const FunctionConstants f = function_constants(dtype);
  if (dtype == PLUSMAX_F64) return {f.tanh_relative, 4};
  const double e = std::exp(-2.0 * kTanhNear), tanh = (1 - e) / (1 + e);
  const double of_rest = (f.exp_relative + 2 * kTanhNear * f.exp_argument) / (1 + e) + 1 + f.reciprocal_relative;
  return {((1 - tanh) / tanh * of_rest + 0.5 / tanh) * (1 + 0x1p-16), 2 * (1 + f.reciprocal_relative) + 2};
}

}  // namespace plusmax
