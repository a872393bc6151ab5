#include "properties/relation.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plusmax::properties {
namespace {

constexpr std::int64_t kLargestGap = 4096;  // elements of padding kept between rows: a huge stride is not the subject here

}  // namespace

std::string relation_refusal(const Case& of) {
  if (of.rows == 0 || of.cols == 0) return "needs at least one logit";
  if (of.cols > kRelationLogits / (2 * kRelationRows))
    return fmt::format("cols {} are more than the {} that relations between results are checked at", of.cols, kRelationLogits / (2 * kRelationRows));
  return {};
}

Rows relation_rows(const Case& of) {
  const auto all = rows_of(of);
  return select(*all, sample_rows(of.rows, kRelationRows));
}

Rows peaked(const Rows& rows) {
  return edited(rows, rows.cols(), [&](std::int64_t r, auto in, auto out) {
    std::copy(in.begin(), in.end(), out.begin());
    if (!finite_row(rows, r)) return;
    const double by = rows.exact(r).lse.hi, largest = reference::largest(rows.dtype());
    for (double& x : out)
      if (std::isfinite(x)) x = std::clamp(reference::round_to(rows.dtype(), x - by), -largest, largest);
    out[rows.exact(r).argmax] = 0;
  });
}

Layout reshaped(const Case& of, std::int64_t rows, std::int64_t cols) {
  Layout layout = layout_of(of);
  layout.lse_stride = std::clamp<std::int64_t>(of.lse_stride, 1, kLargestGap);
  if (of.col_stride == 1) {
    layout.row_stride = cols + std::clamp<std::int64_t>(of.row_stride - of.cols, 0, kLargestGap);
  } else if (of.row_stride < of.col_stride) {  // columns one after the other
    const std::int64_t height = rows * std::max<std::int64_t>(of.row_stride, 1);
    layout.row_stride = std::max<std::int64_t>(of.row_stride, 1);
    layout.col_stride = height + std::clamp<std::int64_t>(of.col_stride - of.rows * of.row_stride, 0, kLargestGap);
  } else {
    layout.row_stride = cols * of.col_stride + std::clamp<std::int64_t>(of.row_stride - of.cols * of.col_stride, 0, kLargestGap);
  }
  return layout;
}

Rows edited(const Rows& from, std::int64_t cols, const RowEdit& edit) {
  std::vector<double> values(static_cast<std::size_t>(from.rows() * cols)), scratch;
  for (std::int64_t r = 0; r < from.rows(); ++r)
    edit(r, from.row(r, scratch), std::span(values).subspan(static_cast<std::size_t>(r * cols), static_cast<std::size_t>(cols)));
  return {from.dtype(), from.rows(), cols, std::move(values)};
}

Random random_of(const Case& of, std::string_view check) {
  std::uint64_t key = of.seed;
  for (const char c : check) key = mix(key, static_cast<unsigned char>(c));
  return {key};
}

}  // namespace plusmax::properties
