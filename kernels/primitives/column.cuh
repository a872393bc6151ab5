// A row read element by element, with any stride between its elements.
#pragma once

#include "kernels/primitives/online.cuh"

#include <cstdint>

namespace plusmax {

template <class T>
class ColumnWalk {
 public:
  // Row `row` of a matrix; offsets are 64-bit products.
  __device__ __forceinline__ ColumnWalk(const void* matrix, std::int64_t row, std::int64_t row_stride,
                                        std::int64_t col_stride, std::int64_t cols)
      : first_(reinterpret_cast<std::uintptr_t>(matrix) + static_cast<std::uintptr_t>(row * row_stride) * sizeof(T)),
        col_stride_(col_stride), cols_(cols) {}

  __device__ __forceinline__ AccumOf<T> operator[](std::int64_t column) const {
    const std::uintptr_t address = first_ + static_cast<std::uintptr_t>(column * col_stride_) * sizeof(T);
    return Element<T>::widen(*reinterpret_cast<const T*>(address));
  }
  __device__ __forceinline__ std::int64_t cols() const { return cols_; }

 private:
  std::uintptr_t first_;
  std::int64_t col_stride_, cols_;
};

// Additions that any term of a batch of `columns` passes through in absorb_columns: four chains.
constexpr int column_additions(int columns) { return columns / 4 - 1 + 2; }

// Takes in columns [from, from + kColumns), -inf beyond the last one.
template <int kColumns, class T>
__device__ __forceinline__ void absorb_columns(MaxSum<AccumOf<T>>& state, const ColumnWalk<T>& walk, std::int64_t from) {
  static_assert(kColumns % 4 == 0, "four chains");
  using Accum = AccumOf<T>;
  using M = Math<Accum>;
  Accum values[kColumns];
  PLUSMAX_UNROLL
  for (int i = 0; i < kColumns; ++i) values[i] = from + i < walk.cols() ? walk[from + i] : M::negative_infinity();
  Accum largest = state.maximum;
  PLUSMAX_UNROLL
  for (int i = 0; i < kColumns; ++i) largest = M::maximum(largest, values[i]);
  const Accum shift = safe_shift(largest);
  Accum chain[4];
  PLUSMAX_UNROLL
  for (int i = 0; i < kColumns; ++i) {
    const Accum term = M::exp_shifted(values[i], shift);
    chain[i % 4] = i < 4 ? term : chain[i % 4] + term;
  }
  const Accum batch = (chain[0] + chain[1]) + (chain[2] + chain[3]);
  state.sum = M::multiply_add(state.sum, M::exp_shifted(state.maximum, shift), batch);
  state.maximum = largest;
}

}  // namespace plusmax
