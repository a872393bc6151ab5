// A row's target: what it says, and where its column lies in the row.
#pragma once

#include "kernels/cross_entropy/params.hpp"
#include "kernels/primitives/row.cuh"

namespace plusmax::cross_entropy {

enum class RowKind { counted, ignored, bad };

struct Target {
  RowKind kind;
  std::int64_t column;  // -1 unless the row counts: a bad target is never an address
};

// int32 is widened before any comparison; ignore_index wins over the range.
__device__ PLUSMAX_INLINE_ON_DEVICE Target read_target(const Params& p, std::int64_t row) {
  const std::int64_t at = row * p.target_stride;
  const std::int64_t value = p.target_type == PLUSMAX_INT32 ? static_cast<const std::int32_t*>(p.targets)[at]
                                                            : static_cast<const std::int64_t*>(p.targets)[at];
  if (value == p.options.ignore_index) return {RowKind::ignored, -1};
  if (value < 0 || value >= p.cols) return {RowKind::bad, -1};
  return {RowKind::counted, value};
}

// The target's column among a row's vectors and edges.
struct Place {
  std::int64_t vector = -1;  // as numbered in the span; -1: none
  int element = -1;          // of the vector
  int edge = -1;             // as numbered by RowSpan::edge; -1: none
};

template <class T>
__device__ PLUSMAX_INLINE_ON_DEVICE Place place_of(const RowSpan<T>& span, std::int64_t column, std::int64_t cols) {
  Place place;
  if (column < 0) return place;
  const std::int64_t inside = column - span.head;
  if (inside < 0) {
    place.edge = static_cast<int>(column);
  } else if (column >= cols - span.tail) {
    place.edge = static_cast<int>(column - (cols - span.head - span.tail));
  } else {
    place.vector = span.begin + inside / Vector<T>::kElements;
    place.element = static_cast<int>(inside % Vector<T>::kElements);
  }
  return place;
}

// The column of the `index`-th edge element.
template <class T>
__device__ __forceinline__ std::int64_t edge_column(const RowSpan<T>& span, int index, std::int64_t cols) {
  return index < span.head ? index : cols - (span.head + span.tail) + index;
}

// The first column of a vector.
template <class T>
__device__ __forceinline__ std::int64_t vector_column(const RowSpan<T>& span, std::int64_t vector) {
  return span.head + (vector - span.begin) * Vector<T>::kElements;
}

}  // namespace plusmax::cross_entropy
