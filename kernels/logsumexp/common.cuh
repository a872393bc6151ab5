// What the logsumexp variants share: the store of a result, the bytes.
#pragma once

#include "kernels/logsumexp/config.hpp"
#include "kernels/logsumexp/params.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"
#include "kernels/primitives/online.cuh"
#include "kernels/primitives/row.cuh"
#include "kernels/primitives/shape.hpp"
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

}  // namespace plusmax::logsumexp
