#include "properties/ops/cross_entropy/scaled.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace plusmax::properties::cross_entropy {
namespace {

// A number of the type that is clear of subnormal ones, of what rounds up to the first normal one, and of the type that
// accumulates: a term which one of those replaced lies 26 binades lower and cannot be seen.
double least_of(plusmax_dtype dtype) {
  const plusmax_dtype accumulates = reference::result_dtype(dtype);
  return std::ldexp(1, std::max(reference::minimum_exponent(dtype) + 1, reference::minimum_exponent(accumulates) + 26));
}

bool clear(plusmax_dtype dtype, double x) {
  return std::fabs(x) >= least_of(dtype) && std::fabs(x) <= reference::largest(dtype);
}

}  // namespace

void scaled_gradient(std::string_view what, const Results& got, const Results& want, double factor, std::int64_t row,
                     std::int64_t cols, Tally& tally) {
  std::vector<double> g, w;
  got.gradient_row(row, cols, g);
  want.gradient_row(row, cols, w);
  bool any = false;
  for (std::size_t j = 0; j < w.size(); ++j) {
    if (!clear(want.dtype, w[j]) || !clear(want.dtype, factor * w[j])) continue;
    any = true;
    if (g[j] == factor * w[j]) continue;
    return tally.within(fmt::format("{}: gradient of column {}", what, j), row, g[j], factor * w[j], 0, cols);
  }
  if (any) tally.within("gradient", row, factor, factor, 0, cols);
}

void scaled_loss(std::string_view what, const Results& got, const Results& want, double factor, std::int64_t row,
                 std::int64_t cols, Tally& tally) {
  const plusmax_dtype stored = reference::result_dtype(want.dtype);
  const double w = want.loss.at(row);
  if (clear(stored, w) && clear(stored, factor * w))
    tally.within(fmt::format("{}: loss", what), row, got.loss.at(row), factor * w, 0, cols);
}

}  // namespace plusmax::properties::cross_entropy
