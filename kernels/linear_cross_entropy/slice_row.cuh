// A row's part in a slice of the vocabulary, as cross_entropy's passes see a row: columns count from the slice's first.
#pragma once

#include "kernels/cross_entropy/block_row.cuh"
#include "kernels/cross_entropy/common.cuh"
#include "kernels/cross_entropy/reread.cuh"
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/parts.hpp"

#include <type_traits>

namespace plusmax::linear_cross_entropy {

// `whole`: the rows as wide as the vocabulary. Targets stay numbers of whole classes: see slice_target().
inline cross_entropy::Params slice_call(const cross_entropy::Params& whole, std::int64_t begin, std::int64_t cols) {
  cross_entropy::Params slice = whole;
  slice.cols = cols;
  if (whole.weights != nullptr) slice.weights = whole.weights + begin;
  return slice;
}

// The target's column in the slice, -1 if it is elsewhere.
__device__ __forceinline__ std::int64_t slice_target(const cross_entropy::Target& target, std::int64_t begin,
                                                     std::int64_t cols) {
  const std::int64_t column = target.column - begin;
  return target.column >= 0 && column >= 0 && column < cols ? column : -1;
}

// Calls launch(T{}, mode), whose mode.type is cross_entropy's mode of these rows.
template <class Launch>
Status with_mode(const cross_entropy::Params& rows, Launch&& launch) {
  return with_float(rows.dtype, [&](auto element) {
    using T = decltype(element);
    return cross_entropy::row_mode(rows) == cross_entropy::RowMode::plain
               ? launch(element, std::type_identity<cross_entropy::Plain<T>>{})
               : launch(element, std::type_identity<cross_entropy::Capped<T>>{});
  });
}

}  // namespace plusmax::linear_cross_entropy
