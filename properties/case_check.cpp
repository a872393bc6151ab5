// The rules that a case must keep, whoever made it, and the small helpers that keep them.
#include "properties/case.hpp"
#include "properties/fill.hpp"
#include "properties/number.hpp"
#include "properties/operation.hpp"
#include "properties/suggest.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace plusmax::properties {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

void check_size(const char* key, std::int64_t value, std::int64_t least) {
  if (value < least || value > kLargestSize)
    throw UsageError(std::string(key) + " " + text(value) + ": use " + text(least) + " to 2^40");
}

// a * b <= 2^40 for factors that are each at most 2^40
bool product_fits(std::int64_t a, std::int64_t b) { return a == 0 || b <= kLargestSize / a; }

void check_sizes(const Case& c) {
  check_size("rows", c.rows, 0);
  check_size("cols", c.cols, 0);
  check_size("stride", c.row_stride, 0);
  check_size("col_stride", c.col_stride, 1);
  check_size("out_stride", c.lse_stride, 1);
  if (!product_fits(c.rows, c.cols))
    throw UsageError("rows " + text(c.rows) + " * cols " + text(c.cols) + " logits: use at most 2^40");
  if (!product_fits(c.rows, c.row_stride) || !product_fits(c.cols, c.col_stride) || extent(c) > kLargestSize)
    throw UsageError("rows " + text(c.rows) + " of stride " + text(c.row_stride) + " and cols " + text(c.cols) +
                     " of col_stride " + text(c.col_stride) + " span more than 2^40 elements: use smaller ones");
  if (!product_fits(c.rows, c.lse_stride))
    throw UsageError("rows " + text(c.rows) + " of out_stride " + text(c.lse_stride) +
                     " span more than 2^40 elements: use smaller ones");
  const std::int64_t phases = 256 / static_cast<std::int64_t>(reference::size_of(c.dtype));
  if (c.phase < 0 || c.phase >= phases)
    throw UsageError("phase " + text(c.phase) + ": use 0 to " + text(phases - 1) + ", the elements of 256 bytes of " +
                     reference::name_of(c.dtype));
}

// r * a + c * b repeats an address for 0 <= r < rows, 0 <= c < cols just if row b/g, column 0 and row 0, column a/g
// exist.
void check_overlap(const Case& c) {
  const std::int64_t a = c.row_stride, b = c.col_stride;
  if (a == 0 || c.rows < 2 || c.cols < 2) return;
  const std::int64_t g = std::gcd(a, b);
  if (b / g >= c.rows || a / g >= c.cols) return;
  if (b == 1)
    throw UsageError("stride " + text(a) + " < cols " + text(c.cols) + ": rows would overlap; use " + text(c.cols) +
                     " or more, or 0 to repeat one row");
  throw UsageError("stride " + text(a) + " and col_stride " + text(b) + ": row " + text(b / g) +
                   ", column 0 and row 0, column " + text(a / g) + " would share an address; use strides that keep " +
                   text(c.rows) + " x " + text(c.cols) + " elements apart");
}

void check_value(const char* where, const Case& c, double value) {
  if (std::isfinite(value) && !std::isfinite(reference::round_to(c.dtype, value)))
    throw UsageError(std::string(where) + ": " + number_text(value) + " is beyond the largest " +
                     reference::name_of(c.dtype) + ", " + number_text(reference::largest(c.dtype)) +
                     ": write a smaller value or inf");
}

void check_set(const Case& c) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  for (const Patch& patch : c.set) {
    const std::string where = "set " + text(patch.row) + ":" + text(patch.col);
    if (patch.row < 0 || patch.row >= c.rows || patch.col < 0 || patch.col >= c.cols)
      throw UsageError(where + " lies outside " + text(c.rows) + " rows of " + text(c.cols) + " columns: count from 0");
    if (c.row_stride == 0 && patch.row > 0) throw UsageError(where + ": stride 0 repeats row 0: set that one");
    if (!seen.emplace(patch.row, patch.col).second) throw UsageError(where + " is given twice: keep one");
    check_value(where.c_str(), c, patch.value);
  }
}

void check_data(const Case& c) {
  if (c.data.empty()) return;
  if (static_cast<std::int64_t>(c.data.size()) != c.rows)
    throw UsageError("data has " + std::to_string(c.data.size()) + " rows, the case " + text(c.rows) +
                     ": make them equal");
  for (std::size_t r = 0; r < c.data.size(); ++r) {
    if (static_cast<std::int64_t>(c.data[r].size()) != c.cols)
      throw UsageError("data: row " + std::to_string(r) + " has " + std::to_string(c.data[r].size()) +
                       " values, cols is " + text(c.cols) + ": make them equal");
    for (const double value : c.data[r]) check_value("data", c, value);
  }
  const auto same = [](double x, double y) { return number_text(x) == number_text(y); };
  if (c.row_stride != 0) return;
  for (std::size_t r = 1; r < c.data.size(); ++r)
    for (std::size_t j = 0; j < c.data[r].size(); ++j)
      if (!same(c.data[r][j], c.data[0][j]))
        throw UsageError("data: row " + std::to_string(r) + ", column " + std::to_string(j) +
                         " differs from row 0, which stride 0 repeats: make it equal, or use another stride");
}

const FillParameter& parameter_of(const Fill& fill, std::string_view name) {
  std::vector<std::string> names;
  for (const FillParameter& parameter : fill.parameters) {
    if (name == parameter.name) return parameter;
    names.push_back(parameter.name);
  }
  throw UsageError("fill " + std::string(fill.name) + " has no parameter '" + std::string(name) +
                   "': " + (names.empty() ? "it has none" : "use " + listed(names)));
}

void check_parameter(const Fill& fill, const std::string& name, double value) {
  const FillParameter& parameter = parameter_of(fill, name);
  if (!(value >= parameter.least && value <= parameter.most) || (parameter.whole && value != std::floor(value)))
    throw UsageError(name + "=" + number_text(value) + " of fill " + fill.name + ": use " +
                     (parameter.whole ? "a whole number" : "a number") + " from " + number_text(parameter.least) +
                     " to " + number_text(parameter.most));
}

}  // namespace

std::int64_t extent(const Case& c) {
  return c.rows == 0 || c.cols == 0 ? 0 : (c.rows - 1) * c.row_stride + (c.cols - 1) * c.col_stride + 1;
}

void set_shape(Case& c, std::int64_t rows, std::int64_t cols, std::int64_t col_stride) {
  c.rows = rows;
  c.cols = cols;
  c.col_stride = col_stride;
  c.row_stride = cols * col_stride;
}

void set_parameter(Case& c, std::string_view name, double value) {
  const FillParameter& parameter = parameter_of(fill_named(c.fill), name);
  std::erase_if(c.parameters, [&](const auto& pair) { return pair.first == name; });
  if (number_text(value) == number_text(parameter.initial)) return;
  c.parameters.emplace_back(name, value);
  std::sort(c.parameters.begin(), c.parameters.end());
}

void validate(const Case& c) {
  const Operation& operation = grammar_of(c.op);
  check_sizes(c);
  check_overlap(c);
  check_data(c);
  check_set(c);
  const Fill& fill = fill_named(c.fill);
  for (const auto& [name, value] : c.parameters) check_parameter(fill, name, value);
  if (!c.data.empty() && (!c.set.empty() || c.fill != Case{}.fill || !c.parameters.empty()))
    throw UsageError("data together with fill or set: use one of them");
  if (operation.canonical) operation.canonical(c);
}

}  // namespace plusmax::properties
