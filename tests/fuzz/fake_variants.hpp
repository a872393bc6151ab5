// Variants in plain C++ on the host device: one that is right, and some that are wrong in a known way.
#pragma once

#include "properties/subject.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace plusmax::tests {

enum class Mistake {
  none,
  tail_dropped,   // the last cols mod 4 columns
  shift_missing,  // log sum exp without the maximum
  dense_rows,     // row_stride ignored
  sometimes,      // every other launch is wrong
  throws          // a device fault for wide rows
};

inline double fake_logsumexp(const logsumexp::Params& p, std::int64_t row, Mistake mistake) {
  // Only where the wrong address is still memory of the logits: plain C++ does not survive an unmapped page.
  const bool dense = mistake == Mistake::dense_rows && p.col_stride == 1 && p.row_stride > p.cols && p.row_stride < p.cols + 64;
  const std::int64_t stride = dense ? p.cols : p.row_stride;
  const std::size_t size = reference::size_of(p.dtype);
  const std::int64_t cols = mistake == Mistake::tail_dropped && p.cols > 4 ? p.cols - p.cols % 4 : p.cols;
  const auto at = [&](std::int64_t col) {
    return reference::decode(p.dtype, static_cast<const char*>(p.logits) + static_cast<std::size_t>(row * stride + col * p.col_stride) * size);
  };
  double max = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::int64_t col = 0; col < cols; ++col) {
    if (std::isnan(at(col))) return at(col);
    max = std::max(max, at(col));
  }
  if (std::isinf(max)) return max;
  const double shift = mistake == Mistake::shift_missing ? 0 : max;
  for (std::int64_t col = 0; col < cols; ++col) sum += std::exp(at(col) - shift);
  // log S is rounded to the type of the result before the maximum is added: so a shift moves nothing but the maximum.
  return p.dtype == PLUSMAX_F64 ? shift + std::log(sum) : static_cast<float>(shift) + static_cast<float>(std::log(sum));
}

template <Mistake kMistake>
Status fake_launch(const logsumexp::Params& p, void*, void*) {
  static int launches = 0;
  const Mistake mistake = kMistake == Mistake::sometimes ? (++launches % 2 == 0 ? Mistake::tail_dropped : Mistake::none) : kMistake;
  if (mistake == Mistake::throws && p.cols > 100) throw DeviceError("planted fault");
  const plusmax_dtype result = reference::result_dtype(p.dtype);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    reference::encode(result, fake_logsumexp(p, row, mistake), static_cast<char*>(p.lse) + static_cast<std::size_t>(row * p.lse_stride) * reference::size_of(result));
  }
  return {};
}

// A serial sum: each term passes through at most cols additions.
inline ErrorShape fake_shape(const logsumexp::Params& p) {
  ErrorShape shape{};
  shape.unit_roundoff = p.dtype == PLUSMAX_F64 ? 0x1p-53 : 0x1p-24;
  shape.additions = static_cast<double>(p.cols) + 1;
  shape.exp_relative = 2;
  shape.log_relative = 2;
  shape.underflow = p.dtype == PLUSMAX_F64 ? 0x1p-1074 : 0x1p-149;
  return shape;
}

template <Mistake kMistake>
inline const KernelVariant<logsumexp::Params> fake_variant = {
    kMistake == Mistake::none ? "fake_right" : "fake_wrong",
    dtype_bit(PLUSMAX_F32) | dtype_bit(PLUSMAX_F16) | dtype_bit(PLUSMAX_BF16) | dtype_bit(PLUSMAX_F64),
    [](const logsumexp::Params&) { return Status{}; },
    [](const logsumexp::Params&) { return std::size_t{0}; },
    fake_launch<kMistake>,
    [](const logsumexp::Params& p) { return static_cast<double>(p.rows) * static_cast<double>(p.cols) * static_cast<double>(reference::size_of(p.dtype)); },
    fake_shape};

template <Mistake kMistake>
properties::Subject fake_subject() {
  static const KernelVariant<logsumexp::Params>* const table[] = {&fake_variant<kMistake>};
  static const Module module = [] {
    Module made = *properties::host_module();
    made.logsumexp = table;
    return made;
  }();
  return properties::subjects_of(module, "logsumexp", "").front();
}

}  // namespace plusmax::tests
