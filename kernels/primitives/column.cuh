// Rows read element by element, with any stride between their elements. A lane owns one row or, where two 16-bit rows lie side
// by side, two: then a warp's load is a whole 128-byte line.
#pragma once

#include "kernels/primitives/online.cuh"

#include <cstdint>

namespace plusmax {

// kRows rows from `row` on, of which `present` exist.
template <class T, int kRows>
class ColumnWalk {
  static_assert(kRows == 1 || (kRows == 2 && sizeof(T) == 2), "two rows make one 32-bit load");

 public:
  // Offsets are 64-bit products. Two rows need row_stride 1, an even col_stride and 4-byte alignment.
  __device__ __forceinline__ ColumnWalk(const void* matrix, std::int64_t row, std::int64_t rows, std::int64_t row_stride,
                                        std::int64_t col_stride, std::int64_t cols)
      : first_(reinterpret_cast<std::uintptr_t>(matrix) + static_cast<std::uintptr_t>(row * row_stride) * sizeof(T)),
        col_stride_(col_stride), cols_(cols), present_(rows - row < kRows ? static_cast<int>(rows - row) : kRows) {}

  // The elements of one column, -inf where the row or the column does not exist.
  __device__ __forceinline__ void load(std::int64_t column, AccumOf<T> (&values)[kRows]) const {
    PLUSMAX_UNROLL
    for (int r = 0; r < kRows; ++r) values[r] = Math<AccumOf<T>>::negative_infinity();
    if (column >= cols_ || present_ <= 0) return;
    const std::uintptr_t address = first_ + static_cast<std::uintptr_t>(column * col_stride_) * sizeof(T);
    if constexpr (kRows == 2) {
      if (present_ == 2) {
        widen_pair<T>(platform::load_word(reinterpret_cast<const void*>(address)), values[0], values[1]);
        return;
      }
    }
    values[0] = Element<T>::widen(*reinterpret_cast<const T*>(address));
  }
  __device__ __forceinline__ std::int64_t cols() const { return cols_; }

 private:
  std::uintptr_t first_;
  std::int64_t col_stride_, cols_;
  int present_;
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

}  // namespace plusmax
