// What the logsumexp variants share: the store of a result, the bytes, the error shape.
#pragma once

#include "kernels/error_shape.h"
#include "kernels/logsumexp/config.hpp"
#include "kernels/logsumexp/params.hpp"
#include "kernels/platform/function_constants.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"
#include "kernels/primitives/online.cuh"
#include "kernels/primitives/row.cuh"
#include "kernels/status.hpp"

namespace plusmax::logsumexp {

template <class T>
__device__ __forceinline__ void store_result(const Params& p, std::int64_t row, AccumOf<T> value) {
  static_cast<AccumOf<T>*>(p.lse)[row * p.lse_stride] = value;
}

// Vector loads need neighbouring elements; with at most one column there is no stride to speak of.
inline Status contiguous(const Params& p, const char* variant) {
  if (p.col_stride == 1 || p.cols <= 1) return {};
  return Status::error(PLUSMAX_UNSUPPORTED, "%s needs col_stride 1, got %lld; lane_per_row takes any", variant,
                       static_cast<long long>(p.col_stride));
}

inline std::size_t no_workspace(const Params&) { return 0; }

// Each logit once, each result once.
inline double bytes_moved(const Params& p) {
  return static_cast<double>(p.rows) * (static_cast<double>(p.cols) * element_size(p.dtype) + result_size(p.dtype));
}

// batch_additions of online.cuh for a dtype known only now
constexpr int batch_additions(plusmax_dtype dtype, int vectors) {
  return dtype == PLUSMAX_F64   ? plusmax::batch_additions<double>(vectors)
         : dtype == PLUSMAX_F32 ? plusmax::batch_additions<float>(vectors)
                                : plusmax::batch_additions<__nv_bfloat16>(vectors);
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

}  // namespace plusmax::logsumexp
