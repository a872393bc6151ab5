// Where a row's gradient goes: the logits' own place, or another buffer, which may begin in another phase.
#pragma once

#include "kernels/cross_entropy/target.cuh"
#include "kernels/platform/memory.cuh"

namespace plusmax::cross_entropy {

template <class T>
struct GradientRow {
  T* first;
  bool by_vectors;  // vectors of the logits are aligned here, too

  __device__ __forceinline__ uint4* vector(std::int64_t column) const {
    return reinterpret_cast<uint4*>(first + column);
  }
  // `column`: of the vector's first element; write(address, vector) stores a whole one.
  template <class Write>
  __device__ __forceinline__ void store(std::int64_t column, const Vector<T>& vector, Write&& write) const {
    if (by_vectors) {
      write(this->vector(column), vector);
    } else {
      T elements[Vector<T>::kElements];
      memcpy(elements, &vector.bits, sizeof elements);
      PLUSMAX_UNROLL
      for (int e = 0; e < Vector<T>::kElements; ++e) first[column + e] = elements[e];
    }
  }
  __device__ __forceinline__ void store(std::int64_t column, const Vector<T>& vector) const {
    store(column, vector, [](uint4* to, const Vector<T>& whole) { platform::store_vector(to, whole.bits); });
  }
  __device__ __forceinline__ void store(std::int64_t column, T element) const { first[column] = element; }
};

// Of a call that has a gradient.
template <class T>
__device__ __forceinline__ GradientRow<T> gradient_row(const Params& p, std::int64_t row, const RowSpan<T>& span) {
  T* first = static_cast<T*>(p.dlogits) + row * p.dlogits_stride;
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  return {first, (address - span.first) % kVectorBytes == 0};
}

// The gradient of an ignored row: +0, whatever the logits hold. `index` of `count` threads.
template <class T>
__device__ PLUSMAX_INLINE_ON_DEVICE void store_zeros(const RowSpan<T>& span, const GradientRow<T>& to,
                                                     std::int64_t cols, int index, int count) {
  const Vector<T> zeros{make_uint4(0u, 0u, 0u, 0u)};
  for (std::int64_t vector = span.begin + index; vector < span.end; vector += count)
    to.store(vector_column(span, vector), zeros);
  if (index < span.head + span.tail) to.store(edge_column(span, index, cols), Element<T>::narrow(0));
}

}  // namespace plusmax::cross_entropy
