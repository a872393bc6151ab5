// The launches around the products: kernels/linear_cross_entropy/parts.
#pragma once

#include "kernels/linear_cross_entropy/workspace.hpp"

namespace plusmax::linear_cross_entropy {

// What means divide by, and which token each compact row is.
Status launch_compact(const Params&, const Workspace&, void* stream);
// Results of tokens that no product meets: zeros for ignored ones, NaN for those beyond the stated maximum.
Status launch_leave_out(const Params&, const Workspace&, void* stream);
// Compact rows from `first` on into the tile: X, targets, upstream gradients.
Status launch_gather(const Params&, const Workspace&, std::int64_t first, void* stream);
// And back to their tokens: results, dX.
Status launch_scatter(const Params&, const Workspace&, std::int64_t first, void* stream);

// Of all rows, slice [begin, begin + cols) of the vocabulary: its sums, after those of the slices before.
Status launch_slice_sums(const Params&, const Workspace&, std::int64_t begin, std::int64_t cols, void* stream);
// Results of the rows, and the coefficients of their gradients, after all slices.
Status launch_close_rows(const Params&, const Workspace&, void* stream);
// A slice's logits become their gradient.
Status launch_slice_gradient(const Params&, const Workspace&, std::int64_t begin, std::int64_t cols, void* stream);

struct Matrix {
  void* data;  // [rows, cols]
  plusmax_dtype dtype;
  std::int64_t rows, cols, stride;
};
// to = from, or to + from, rounded once. With from.data null its elements are 0.
Status launch_convert(const Matrix& from, const Matrix& to, bool add, void* stream);
// Rounds an f32 matrix to `dtype` where it lies: row r begins where it began, twice as many elements apart.
Status launch_narrow(const Matrix& matrix, plusmax_dtype dtype, void* stream);
// sums[cols] = the sums of the columns, or sums + those.
Status launch_column_sums(const Matrix& matrix, float* sums, bool add, void* stream);

}  // namespace plusmax::linear_cross_entropy
