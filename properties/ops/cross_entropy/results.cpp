#include "properties/ops/cross_entropy/results.hpp"

#include "reference/dtype.hpp"

namespace plusmax::properties::cross_entropy {

std::size_t Results::gradient_rows(std::int64_t cols) const {
  return gradient.size() / (static_cast<std::size_t>(cols) * reference::size_of(dtype));
}

std::span<const unsigned char> Results::gradient_row(std::int64_t row, std::int64_t cols) const {
  const std::size_t bytes = static_cast<std::size_t>(cols) * reference::size_of(dtype);
  return std::span(gradient).subspan(static_cast<std::size_t>(row) * bytes, bytes);
}

void Results::gradient_row(std::int64_t row, std::int64_t cols, std::vector<double>& out) const {
  const auto bytes = gradient_row(row, cols);
  const std::size_t size = reference::size_of(dtype);
  out.resize(static_cast<std::size_t>(cols));
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = reference::decode(dtype, bytes.data() + j * size);
}

}  // namespace plusmax::properties::cross_entropy
