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

}  // namespace plusmax
