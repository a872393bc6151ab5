// Neighbours of a Case: what the targeted search climbs with.
#include "properties/fill.hpp"
#include "properties/gen/draw.hpp"
#include "properties/gen/draw_values.hpp"
#include "properties/gen/generate.hpp"
#include "properties/gen/resize.hpp"
#include "properties/operation.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::gen {
namespace {

void change_cols(Draw& draw, const CaseLimits& limits, Case& c) {
  if (!c.data.empty() || c.cols < 1) return;
  const std::int64_t wanted = draw.of({c.cols + 1, c.cols - 1, c.cols * 2, c.cols / 2, c.cols + 32, c.cols + c.cols / 4});
  const std::int64_t affordable = std::max<std::int64_t>(1, limits.max_logits / std::max<std::int64_t>(1, c.rows));
  c = with_cols(c, std::clamp<std::int64_t>(wanted, 1, std::min(limits.max_cols, affordable)));
}

void change_parameter(Draw& draw, Case& c) {
  const Fill* fill = c.data.empty() ? find_fill(c.fill) : nullptr;
  if (fill == nullptr || fill->parameters.empty()) return;
  const FillParameter& parameter = draw.of(fill->parameters);
  double now = parameter.initial;
  for (const auto& [name, value] : c.parameters) {
    if (name == parameter.name) now = value;
  }
  if (parameter.whole || now == 0 || draw.one_in(3)) {
    return set_parameter(c, parameter.name, draw_parameter(draw, parameter, c));
  }
  const double near = std::round(now * draw.of({0.9, 0.99, 1.01, 1.1}) * 1e4) / 1e4;
  set_parameter(c, parameter.name, std::clamp(near, parameter.least, parameter.most));
}

void change_data(Draw& draw, Case& c) {
  auto& row = c.data[static_cast<std::size_t>(draw.range(0, c.rows - 1))];
  double& value = row[static_cast<std::size_t>(draw.range(0, c.cols - 1))];
  value = reference::round_to(c.dtype, std::isfinite(value) ? value * draw.of({0.5, 0.9, 1.1, -1.0}) + draw.of({-1.0, 0.0, 1.0}) : 0.0);
}

void edit(Draw& draw, const CaseLimits& limits, Case& c) {
  switch (draw.weighted({6, 6, 5, 2, 1})) {
    case 0: c.data.empty() ? void(c.seed = static_cast<std::uint64_t>(draw.range(0, 99999))) : change_data(draw, c); break;
    case 1: change_cols(draw, limits, c); break;
    case 2: change_parameter(draw, c); break;
    case 3:
      if (c.data.empty() && c.rows > 0 && c.cols > 0) {
        add_patch(c, {draw.range(0, c.row_stride == 0 ? 0 : c.rows - 1), draw.of({std::int64_t{0}, c.cols - 1, draw.range(0, c.cols - 1)}), draw_special(draw, c.dtype)});
      }
      break;
    default: c.phase = draw.range(0, 256 / static_cast<std::int64_t>(reference::size_of(c.dtype)) - 1);
  }
}

}  // namespace

Case mutate(const Case& of, const CaseLimits& limits, std::uint64_t key) {
  Draw draw(key);
  Case c = of;
  for (std::int64_t edits = draw.range(1, 3); edits > 0; --edits) edit(draw, limits, c);
  if (const Operation& operation = grammar_of(c.op); operation.draw && draw.one_in(4)) operation.draw(draw, c);
  return span_bytes(c) <= limits.max_span_bytes && is_valid(c) ? c : of;
}

}  // namespace plusmax::properties::gen
