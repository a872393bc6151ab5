// Rows read element by element, with any stride between their elements. A lane owns one row or, where two 16-bit rows
// lie side by side, two: then a warp's load is a whole 128-byte line.
#pragma once

#include "kernels/primitives/online.cuh"

#include <cstdint>

namespace plusmax {

// kRows rows from `row` on, all of which exist.
template <class T, int kRows>
class ColumnWalk {
  static_assert(kRows == 1 || (kRows == 2 && sizeof(T) == 2), "two rows make one 32-bit load");

 public:
  // Offsets are 64-bit products. Two rows need row_stride 1, an even col_stride and 4-byte alignment.
  __device__ __forceinline__ ColumnWalk(const void* matrix, std::int64_t row, std::int64_t row_stride,
                                        std::int64_t col_stride)
      : first_(reinterpret_cast<std::uintptr_t>(matrix) + static_cast<std::uintptr_t>(row * row_stride) * sizeof(T)),
        col_stride_(col_stride) {}

  // The elements of one column, -inf if it does not `exist`. No branch, so that the loads of a batch overlap.
  __device__ __forceinline__ void load(std::int64_t column, bool exists, AccumOf<T> (&values)[kRows]) const {
    const std::uintptr_t address = first_ + static_cast<std::uintptr_t>(column * col_stride_) * sizeof(T);
    if constexpr (kRows == 2) {
      const unsigned pair =
          exists ? platform::load_word(reinterpret_cast<const void*>(address)) : negative_infinity_pair<T>;
      widen_pair<T>(pair, values[0], values[1]);
    } else {
      values[0] =
          exists ? Element<T>::widen(*reinterpret_cast<const T*>(address)) : Math<AccumOf<T>>::negative_infinity();
    }
  }

 private:
  std::uintptr_t first_;
  std::int64_t col_stride_;
};

// Additions that any term of a batch of `columns` passes through in absorb_columns: four chains.
constexpr int column_additions(int columns) { return columns / 4 - 1 + 2; }

// Takes in one row's batch of columns.
template <class Accum, int kColumns>
__device__ __forceinline__ void absorb_columns(MaxSum<Accum>& state, const Accum (&values)[kColumns]) {
  static_assert(kColumns % 4 == 0, "four chains");
  using M = Math<Accum>;
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

// Takes in columns from, from + 1, ..., kColumns at a time and `step` from one batch to the next, of all kRows rows.
template <int kColumns, class T, int kRows>
__device__ __forceinline__ void absorb_rows(MaxSum<AccumOf<T>> (&states)[kRows], const ColumnWalk<T, kRows>& walk,
                                            std::int64_t from, std::int64_t step, std::int64_t cols) {
  for (std::int64_t column = from; column < cols; column += step) {
    AccumOf<T> batch[kRows][kColumns];
    PLUSMAX_UNROLL
    for (int i = 0; i < kColumns; ++i) {
      AccumOf<T> values[kRows];
      walk.load(column + i, column + i < cols, values);
      PLUSMAX_UNROLL
      for (int r = 0; r < kRows; ++r) batch[r][i] = values[r];
    }
    PLUSMAX_UNROLL
    for (int r = 0; r < kRows; ++r) absorb_columns(states[r], batch[r]);
  }
}

}  // namespace plusmax
