// How a row lies in memory: an aligned interior that is read by vectors, and at most 15 bytes of it on either side.
// Vectors are numbered from the 128-byte line that holds the row's first byte, so a warp's load covers whole lines
// wherever the row starts, and a row's order of additions depends on its address only modulo 128.
#pragma once

#include "kernels/primitives/vec.cuh"

#include <cstdint>

namespace plusmax {

constexpr int kLineBytes = 128;
constexpr int kVectorBytes = 16;
constexpr int kLineVectors = kLineBytes / kVectorBytes;

constexpr std::int64_t row_bytes(plusmax_dtype dtype, std::int64_t cols) { return cols * element_size(dtype); }
constexpr std::int64_t row_vectors(plusmax_dtype dtype, std::int64_t cols) {
  return row_bytes(dtype, cols) / kVectorBytes;
}

template <class T>
struct RowSpan {
  std::uintptr_t line;      // address of vector 0
  std::int64_t begin, end;  // the row's whole vectors
  std::uintptr_t first;     // address of element 0
  int head, tail;           // elements before and behind the vectors, each < Vector<T>::kElements

  __device__ __forceinline__ const uint4* vector(std::int64_t index) const {
    return reinterpret_cast<const uint4*>(line + static_cast<std::uintptr_t>(index) * kVectorBytes);
  }
  // The `index`-th element outside of the vectors, head first; -inf if there is none. `index` is at most a thread
  // number.
  __device__ __forceinline__ AccumOf<T> edge(int index, std::int64_t cols) const {
    if (index >= head + tail) return Math<AccumOf<T>>::negative_infinity();
    const std::int64_t column = index < head ? index : cols - (head + tail) + index;
    return Element<T>::widen(reinterpret_cast<const T*>(first)[column]);
  }
};

// Row `row` of a matrix. 64 bits before the multiplication: rows * row_stride passes 2^31 in ordinary training.
template <class T>
__device__ __forceinline__ RowSpan<T> row_span(const void* matrix, std::int64_t row, std::int64_t row_stride,
                                               std::int64_t cols) {
  RowSpan<T> span;
  span.first = reinterpret_cast<std::uintptr_t>(matrix) + static_cast<std::uintptr_t>(row * row_stride) * sizeof(T);
  const std::int64_t to_boundary = static_cast<std::int64_t>((0 - span.first) % kVectorBytes / sizeof(T));
  span.head = static_cast<int>(to_boundary < cols ? to_boundary : cols);
  const std::int64_t vectors = (cols - span.head) / Vector<T>::kElements;
  span.tail = static_cast<int>(cols - span.head - vectors * Vector<T>::kElements);
  span.line = span.first / kLineBytes * kLineBytes;
  span.begin = static_cast<std::int64_t>((span.first + span.head * sizeof(T) - span.line) / kVectorBytes);
  span.end = span.begin + vectors;
  return span;
}

}  // namespace plusmax
