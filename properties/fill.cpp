#include "properties/fill.hpp"

#include "properties/suggest.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace plusmax::properties {
namespace {

constexpr std::uint64_t kColumnStream = 0xC01;  // apart from the streams that fills draw their logits from

void round_row(plusmax_dtype dtype, std::span<double> row) {
  const double largest = reference::largest(dtype);
  double before = 0, rounded = 0;  // the largest cases are runs of one value
  for (double& value : row) {
    if (std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(before)) {
      before = value;
      rounded = reference::round_to(dtype, std::isfinite(value) ? std::clamp(value, -largest, largest) : value);
    }
    value = rounded;
  }
}

}  // namespace

const Fill* find_fill(std::string_view name) {
  for (const Fill* fill : fills::all())
    if (name == fill->name) return fill;
  return nullptr;
}

const Fill& fill_named(std::string_view name) {
  if (const Fill* fill = find_fill(name)) return *fill;
  std::vector<std::string> names;
  for (const Fill* known : fills::all()) names.push_back(known->name);
  throw UsageError("unknown fill " + in_quotes(name) + suggestion(name, names));
}

double FillRow::parameter(std::string_view name) const {
  for (const auto& [given, value] : of.parameters)
    if (given == name) return value;
  if (const Fill* fill = find_fill(of.fill))
    for (const FillParameter& known : fill->parameters)
      if (name == known.name) return known.initial;
  throw std::logic_error("fill " + of.fill + " asks for its parameter '" + std::string(name) +
                         "', which it does not declare");
}

std::size_t FillRow::column(std::size_t cols) const {
  if (cols == 0) return 0;
  const double given = parameter("column");
  if (given < 0) return static_cast<std::size_t>(random.bits(0, kColumnStream) % cols);
  return given < static_cast<double>(cols) ? static_cast<std::size_t>(given) : cols - 1;
}

void fill_row(const Case& c, std::int64_t row, double* out) {
  if (row < 0 || row >= c.rows)
    throw std::out_of_range("fill_row: row " + std::to_string(row) + " of a case with " + std::to_string(c.rows) +
                            " rows");
  if (c.row_stride == 0) row = 0;
  const std::span<double> values(out, static_cast<std::size_t>(c.cols));
  if (!c.data.empty()) {
    std::copy(c.data[static_cast<std::size_t>(row)].begin(), c.data[static_cast<std::size_t>(row)].end(), out);
  } else {
    fill_named(c.fill).write(FillRow{c, row, Random{mix(c.seed, static_cast<std::uint64_t>(row))}}, values);
    for (const Patch& patch : c.set)
      if (patch.row == row) out[patch.col] = patch.value;
  }
  round_row(c.dtype, values);
}

}  // namespace plusmax::properties
