// Sixteen bytes of a row at a time. `Vector<T>` keeps them packed; arithmetic sees them widened.
#pragma once

#include "kernels/platform/packed.cuh"
#include "kernels/primitives/dtype.cuh"
#include "kernels/primitives/math.cuh"

#include <cstring>

namespace plusmax {

template <class T>
struct Vector {
  static constexpr int kElements = 16 / static_cast<int>(sizeof(T));
  uint4 bits;
};

// Two 16-bit -inf in a word.
template <class T>
constexpr unsigned negative_infinity_pair = Element<T>::kDtype == PLUSMAX_BF16 ? 0xff80ff80u : 0xfc00fc00u;

// The identity of every lane that holds no logit.
template <class T>
__device__ __forceinline__ Vector<T> negative_infinity_vector() {
  if constexpr (sizeof(T) == 8) {
    return {make_uint4(0u, 0xfff00000u, 0u, 0xfff00000u)};
  } else if constexpr (sizeof(T) == 4) {
    return {make_uint4(0xff800000u, 0xff800000u, 0xff800000u, 0xff800000u)};
  } else {
    constexpr unsigned pair = negative_infinity_pair<T>;
    return {make_uint4(pair, pair, pair, pair)};
  }
}

// Reads a vector that this launch reads once and nobody writes. The address is 16-byte aligned.
template <class T>
__device__ __forceinline__ Vector<T> load_vector(const uint4* from) {
  return {platform::load_stream(from)};
}

// One pair of 16-bit elements, low half first.
template <class T>
__device__ __forceinline__ void widen_pair(unsigned pair, float& low, float& high) {
  if constexpr (Element<T>::kDtype == PLUSMAX_BF16) {
    low = __uint_as_float(pair << 16);
    high = __uint_as_float(pair & 0xffff0000u);
  } else {
    const unsigned short halves[2] = {static_cast<unsigned short>(pair), static_cast<unsigned short>(pair >> 16)};
    __half values[2];
    memcpy(values, halves, sizeof values);
    low = __half2float(values[0]);
    high = __half2float(values[1]);
  }
}

template <class T>
__device__ __forceinline__ void widen(const Vector<T>& vector, AccumOf<T> (&values)[Vector<T>::kElements]) {
  if constexpr (sizeof(T) == 2) {
    widen_pair<T>(vector.bits.x, values[0], values[1]);
    widen_pair<T>(vector.bits.y, values[2], values[3]);
    widen_pair<T>(vector.bits.z, values[4], values[5]);
    widen_pair<T>(vector.bits.w, values[6], values[7]);
  } else {
    memcpy(values, &vector.bits, sizeof values);
  }
}

// Each element rounded once.
template <class T>
__device__ __forceinline__ Vector<T> narrow(const AccumOf<T> (&values)[Vector<T>::kElements]) {
  Vector<T> vector;
  if constexpr (sizeof(T) == 2) {
    vector.bits.x = platform::narrow_pair(values[0], values[1], T{});
    vector.bits.y = platform::narrow_pair(values[2], values[3], T{});
    vector.bits.z = platform::narrow_pair(values[4], values[5], T{});
    vector.bits.w = platform::narrow_pair(values[6], values[7], T{});
  } else {
    memcpy(&vector.bits, values, sizeof values);
  }
  return vector;
}

// The vector with element `index` replaced; as it was if there is no such element.
template <class T>
__device__ __forceinline__ Vector<T> with_element(const Vector<T>& vector, int index, T value) {
  T elements[Vector<T>::kElements];
  memcpy(elements, &vector.bits, sizeof elements);
  PLUSMAX_UNROLL
  for (int e = 0; e < Vector<T>::kElements; ++e)
    if (e == index) elements[e] = value;
  Vector<T> result;
  memcpy(&result.bits, elements, sizeof elements);
  return result;
}

// Largest element of `kCount` vectors, NaN ignored. 16-bit elements are compared in pairs before they are widened.
template <class T, int kCount>
__device__ __forceinline__ AccumOf<T> maximum(const Vector<T> (&vectors)[kCount]) {
  using M = Math<AccumOf<T>>;
  if constexpr (sizeof(T) == 2) {
    using platform::max_pair;
    uint4 best = vectors[0].bits;
    PLUSMAX_UNROLL
    for (int i = 1; i < kCount; ++i) {
      best.x = max_pair(best.x, vectors[i].bits.x, T{});
      best.y = max_pair(best.y, vectors[i].bits.y, T{});
      best.z = max_pair(best.z, vectors[i].bits.z, T{});
      best.w = max_pair(best.w, vectors[i].bits.w, T{});
    }
    float low, high;
    widen_pair<T>(max_pair(max_pair(best.x, best.y, T{}), max_pair(best.z, best.w, T{}), T{}), low, high);
    // Two NaN make a NaN pair: -inf is what "nothing but NaN" must leave.
    return M::maximum(M::maximum(low, high), M::negative_infinity());
  } else {
    AccumOf<T> best = M::negative_infinity();
    PLUSMAX_UNROLL
    for (int i = 0; i < kCount; ++i) {
      AccumOf<T> values[Vector<T>::kElements];
      widen(vectors[i], values);
      PLUSMAX_UNROLL
      for (int e = 0; e < Vector<T>::kElements; ++e) best = M::maximum(best, values[e]);
    }
    return best;
  }
}

}  // namespace plusmax
