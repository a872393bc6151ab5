#include "properties/gen/draw_values.hpp"

#include "properties/gen/resize.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties::gen {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Four significant digits at most, so that a line stays readable.
double short_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);  // the double nearest to the decimal
}

double smallest_subnormal(plusmax_dtype dtype) {
  return std::ldexp(1.0, reference::minimum_exponent(dtype) - reference::precision_bits(dtype) + 1);
}

// Where the exponential changes its behaviour: exp overflows f32 above 88.72, leaves the normal numbers below -87.3 and
// becomes 0 below -103.97; the same for f64. 1e4 swamps a sum kept without its maximum.
double draw_level(Draw& draw, plusmax_dtype dtype) {
  const double sign = draw.one_in(2) ? 1 : -1;
  switch (draw.weighted({8, 6, 4, 4, 2, 2})) {
    case 0: return short_decimal(draw.uniform(-10, 10));
    case 1: return sign * draw.of({87.0, 88.0, 89.0, 95.0, 103.0, 104.0, 110.0, 120.0});
    case 2: return sign * draw.of({1000.0, 1e4, 2e4});
    case 3: return draw.of({0.0, 1.0, -1.0, 0.5, -0.1});
    case 4: return dtype == PLUSMAX_F64 ? sign * draw.of({709.0, 710.0, 745.0, 746.0, 1e8}) : sign * draw.of({60.0, 65.0, 300.0});
    default: return sign * reference::largest(dtype) * draw.of({1.0, 0.5, 0.25});
  }
}

double draw_spread(Draw& draw) {
  switch (draw.weighted({4, 4, 3, 2})) {
    case 0: return draw.of({0.01, 0.1, 0.5, 1.0});
    case 1: return short_decimal(draw.uniform(0.1, 20));
    case 2: return draw.of({20.0, 40.0, 88.0, 104.0});
    default: return draw.of({200.0, 1000.0, 2000.0});
  }
}

void draw_fill(Draw& draw, Case& c) {
  const auto all = fills::all();
  const Fill* fill = all.empty() ? nullptr : draw.of(all);
  if (fill != nullptr) {
    c.fill = fill->name;
    for (const FillParameter& parameter : fill->parameters) {
      if (!draw.one_in(3)) set_parameter(c, parameter.name, draw_parameter(draw, parameter, c));
    }
  }
  c.seed = draw.one_in(8) ? 0 : static_cast<std::uint64_t>(draw.range(1, 99999));
}

// First, last and tail positions: where masks, vector bodies and the last tile go wrong.
std::int64_t draw_position(Draw& draw, std::int64_t count) {
  switch (draw.weighted({3, 4, 3, 3})) {
    case 0: return 0;
    case 1: return count - 1;
    case 2: return std::max<std::int64_t>(0, count - draw.range(2, 9));
    default: return draw.range(0, count - 1);
  }
}

void draw_patches(Draw& draw, Case& c) {
  if (c.rows < 1 || c.cols < 1 || !draw.one_in(4)) return;
  for (std::int64_t left = draw.range(1, 3); left > 0; --left) {
    const std::int64_t row = draw_position(draw, c.row_stride == 0 ? 1 : c.rows), col = draw_position(draw, c.cols);
    const double value = draw.one_in(3) ? reference::round_to(c.dtype, draw_level(draw, c.dtype)) : draw_special(draw, c.dtype);
    add_patch(c, {row, col, value});
  }
}

void draw_data(Draw& draw, Case& c) {
  c = with_cols(with_rows(c, std::min<std::int64_t>(c.rows, 3)), std::min<std::int64_t>(c.cols, draw.range(1, 6)));
  c.data.assign(static_cast<std::size_t>(c.rows), std::vector<double>(static_cast<std::size_t>(c.cols)));
  for (auto& row : c.data) {
    for (double& value : row) {
      value = draw.one_in(4) ? draw_special(draw, c.dtype) : reference::round_to(c.dtype, draw_level(draw, c.dtype));
    }
    if (c.row_stride == 0 && c.rows > 1) row = c.data.front();  // stride 0 repeats row 0
  }
}

}  // namespace

double draw_special(Draw& draw, plusmax_dtype dtype) {
  const double largest = reference::largest(dtype), tiny = smallest_subnormal(dtype);
  const double smallest_normal = std::ldexp(1.0, reference::minimum_exponent(dtype));
  switch (draw.weighted({3, 3, 6, 2, 3, 3, 2})) {
    case 0: return kNan;
    case 1: return kInfinity;
    case 2: return -kInfinity;
    case 3: return -0.0;
    case 4: return draw.of({largest, -largest});
    case 5: return draw.of({tiny, -tiny, smallest_normal - tiny});
    default: return draw.of({smallest_normal, -smallest_normal});
  }
}

double draw_parameter(Draw& draw, const FillParameter& parameter, const Case& c) {
  const std::string_view name = parameter.name;
  const double least = parameter.least, most = parameter.most;
  double value = 0;
  if (name == "column") {
    value = draw.one_in(5) ? -1 : static_cast<double>(draw_position(draw, c.cols));
  } else if (name == "row") {
    value = static_cast<double>(draw_position(draw, c.rows));
  } else if (parameter.whole) {
    const double low = std::max(least, -20.0), high = std::min(most, draw.one_in(4) ? 1000.0 : 40.0);
    value = static_cast<double>(draw.range(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
  } else if (most <= 1 && least >= 0) {  // a share or a probability
    value = draw.one_in(2) ? draw.of({0.0, 1e-9, 1e-6, 0.01, 0.5, 0.99, 1.0}) : short_decimal(std::pow(10.0, draw.uniform(-12, 0)));
  } else if (least >= 0) {
    value = draw_spread(draw);
  } else {
    value = draw_level(draw, c.dtype);
  }
  return std::clamp(most <= 0 ? -std::fabs(value) : value, least, most);
}

void add_patch(Case& c, Patch patch) {
  auto same = [&](const Patch& p) { return p.row == patch.row && p.col == patch.col; };
  c.set.erase(std::remove_if(c.set.begin(), c.set.end(), same), c.set.end());
  c.set.push_back(patch);
  std::sort(c.set.begin(), c.set.end(), [](const Patch& a, const Patch& b) { return std::pair(a.row, a.col) < std::pair(b.row, b.col); });
}

void draw_values(Draw& draw, int size, Case& c) {
  const bool may_be_data = c.rows > 0 && c.cols > 0;
  if (may_be_data && draw.one_in(size < 20 ? 5 : 14)) {
    draw_data(draw, c);
    return;
  }
  draw_fill(draw, c);
  draw_patches(draw, c);
}

}  // namespace plusmax::properties::gen
