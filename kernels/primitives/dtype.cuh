// Storage types of the logits, how each widens, exactly, to the type that accumulates them, and back, rounded once.
#pragma once

#include "kernels/include/plusmax/types.h"
#include "kernels/platform/cuda.cuh"

namespace plusmax {

template <class T>
struct Element;

template <>
struct Element<float> {
  using Accum = float;
  static constexpr plusmax_dtype kDtype = PLUSMAX_F32;
  static __device__ __forceinline__ float widen(float value) { return value; }
  static __device__ __forceinline__ float narrow(float value) { return value; }
};

template <>
struct Element<__half> {
  using Accum = float;
  static constexpr plusmax_dtype kDtype = PLUSMAX_F16;
  static __device__ __forceinline__ float widen(__half value) { return __half2float(value); }
  static __device__ __forceinline__ __half narrow(float value) { return __float2half_rn(value); }
};

template <>
struct Element<__nv_bfloat16> {
  using Accum = float;
  static constexpr plusmax_dtype kDtype = PLUSMAX_BF16;
  static __device__ __forceinline__ float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
  static __device__ __forceinline__ __nv_bfloat16 narrow(float value) { return __float2bfloat16_rn(value); }
};

template <>
struct Element<double> {
  using Accum = double;
  static constexpr plusmax_dtype kDtype = PLUSMAX_F64;
  static __device__ __forceinline__ double widen(double value) { return value; }
  static __device__ __forceinline__ double narrow(double value) { return value; }
};

template <class T>
using AccumOf = typename Element<T>::Accum;

// Bytes of one element.
constexpr int element_size(plusmax_dtype dtype) { return dtype == PLUSMAX_F64 ? 8 : dtype == PLUSMAX_F32 ? 4 : 2; }
// Bytes of one result: f32 for all but f64.
constexpr int result_size(plusmax_dtype dtype) { return dtype == PLUSMAX_F64 ? 8 : 4; }

// Calls visit(T{}) with the storage type that `dtype` names. `dtype` has been checked before.
template <class Visitor>
auto with_type(plusmax_dtype dtype, Visitor&& visit) {
  switch (dtype) {
    case PLUSMAX_F16:
      return visit(__half{});
    case PLUSMAX_BF16:
      return visit(__nv_bfloat16{});
    case PLUSMAX_F64:
      return visit(double{});
    case PLUSMAX_F32:
      break;
  }
  return visit(float{});
}
// The same where there is no f64.
template <class Visitor>
auto with_float(plusmax_dtype dtype, Visitor&& visit) {
  if (dtype == PLUSMAX_F16) return visit(__half{});
  if (dtype == PLUSMAX_BF16) return visit(__nv_bfloat16{});
  return visit(float{});
}

}  // namespace plusmax
