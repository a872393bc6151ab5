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

// As stored; int32 is widened before any comparison.
__device__ __forceinline__ std::int64_t target_value(const Params& p, std::int64_t row) {
  const std::int64_t at = row * p.target_stride;
  return p.target_type == PLUSMAX_INT32 ? static_cast<const std::int32_t*>(p.targets)[at]
                                        : static_cast<const std::int64_t*>(p.targets)[at];
}
// ignore_index wins over the range.
__device__ __forceinline__ Target target_of(const Params& p, std::int64_t value) {
  if (value == p.options.ignore_index) return {RowKind::ignored, -1};
  if (value < 0 || value >= p.cols) return {RowKind::bad, -1};
  return {RowKind::counted, value};
}
__device__ PLUSMAX_INLINE_ON_DEVICE Target read_target(const Params& p, std::int64_t row) {
  return target_of(p, target_value(p, row));
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

// The tile of `vectors` vectors, counted from `from`, in which this thread meets the target, if it does: those of a
// tile are dealt out over the threads in turn. -1: none.
template <class Index>
__device__ __forceinline__ Index target_tile(const Place& place, Index from, Index vectors, int threads) {
  const Index behind = static_cast<Index>(place.vector) - from;
  const bool mine = place.vector >= 0 && behind >= 0 && behind % threads == static_cast<int>(threadIdx.x);
  return mine ? from + behind / vectors * vectors : Index(-1);
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
