#include "properties/gen/resize.hpp"

#include "properties/gen/draw_values.hpp"

#include <algorithm>

namespace plusmax::properties::gen {
namespace {

// Strides of the new extent: same padding, same order of dimensions.
void restride(const Case& before, Case& after) {
  const std::int64_t contiguous = before.cols * before.col_stride;
  const bool transposed = before.row_stride == 1 && before.col_stride >= std::max<std::int64_t>(before.rows, 2);
  if (transposed) {
    after.col_stride = after.rows + (before.col_stride - before.rows);
    if (after.rows <= 1) after.row_stride = after.cols * after.col_stride;
  } else if (before.row_stride >= contiguous) {
    const bool beyond_32_bits = before.row_stride - contiguous > (std::int64_t{1} << 30);
    after.row_stride = beyond_32_bits ? before.row_stride : after.cols * after.col_stride + (before.row_stride - contiguous);
  }
  if (after.rows <= 1) after.row_stride = after.cols * after.col_stride;  // unused
}

void replace_patches(const Case& before, Case& after) {
  after.set.clear();
  for (Patch patch : before.set) {
    if (patch.row >= after.rows && patch.row != before.rows - 1) continue;
    if (patch.col >= after.cols && patch.col != before.cols - 1) continue;
    if (patch.row == before.rows - 1) patch.row = after.rows - 1;
    if (patch.col == before.cols - 1) patch.col = after.cols - 1;
    add_patch(after, patch);
  }
}

}  // namespace

Case with_rows(const Case& c, std::int64_t rows) {
  Case next = c;
  next.rows = rows;
  if (!c.data.empty()) next.data.resize(static_cast<std::size_t>(rows));
  restride(c, next);
  replace_patches(c, next);
  return next;
}

Case with_cols(const Case& c, std::int64_t cols) {
  Case next = c;
  next.cols = cols;
  for (auto& row : next.data) row.resize(static_cast<std::size_t>(cols));
  restride(c, next);
  replace_patches(c, next);
  return next;
}

Case without_first_row(const Case& c) {
  Case next = c;
  next.rows = c.rows - 1;
  if (!next.data.empty()) next.data.erase(next.data.begin());
  restride(c, next);
  next.set.clear();
  for (Patch patch : c.set) {
    if (patch.row-- > 0) add_patch(next, patch);
  }
  return next;
}

Case without_data_col(const Case& c, std::int64_t col) {
  Case next = c;
  next.cols = c.cols - 1;
  for (auto& row : next.data) row.erase(row.begin() + col);
  restride(c, next);
  return next;
}

}  // namespace plusmax::properties::gen
