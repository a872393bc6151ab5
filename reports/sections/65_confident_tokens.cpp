// Relative accuracy as the label's probability goes to 1, beside the textbook formulas.
#include "reports/chart.hpp"
#include "reports/group.hpp"
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace plusmax::reports::sections {
namespace {

using properties::AccuracyPoint;
using properties::Record;

constexpr double kFloor = 1e-3, kCeiling = 1e9;

std::string figure(const std::string& dtype, const std::vector<const Record*>& records) {
  ScatterPlot plot{"1 - p of the label", "error in ulps", 1e-31, 1e-1, kFloor, kCeiling, 0.5, "correctly rounded", {}, {}};
  plot.decimal_x = true;
  std::map<std::string, std::pair<double, double>> worst;  // of each result: ours, the textbook's
  for (const Record* r : records)
    for (const AccuracyPoint& p : r->accuracy) {
      const bool loss = p.result == "loss";
      auto& [ours, textbook] = worst[p.result];
      ours = std::max(ours, p.ulps), textbook = std::max(textbook, p.textbook_ulps);
      plot.marks.push_back({p.x, p.ulps, loss ? 0 : 1, Marker::circle,
                            fmt::format("{} {}: {} ulp at 1 - p = {}", r->variant, p.result, brief(p.ulps), brief(p.x))});
      plot.marks.push_back({p.x, p.textbook_ulps, loss ? 2 : 3, Marker::triangle,
                            fmt::format("textbook {}: {} ulp at 1 - p = {}", p.result, brief(p.textbook_ulps), brief(p.x))});
    }
  plot.legend = {{"loss", 0, Marker::circle},
                 {"gradient of the label", 1, Marker::circle},
                 {"textbook loss: lse - x", 2, Marker::triangle},
                 {"textbook gradient: p - 1", 3, Marker::triangle}};
  std::string caption = fmt::format("{} logits. Worst: ", escaped(dtype));
  for (const auto& [result, ulps] : worst)
    caption += fmt::format("{} {} ulp (textbook {}); ", result, brief(ulps.first), brief(ulps.second));
  return "<figure>" + svg_of(plot) + "<figcaption>" + caption +
         "losses in ulps of f32 (f64 for f64), gradients in ulps of the type that they are stored in.</figcaption></figure>\n";
}

std::string html(const Page& page) {
  std::map<std::string, std::vector<const Record*>> by_dtype;
  for (const Record& r : page.data.records)
    if (measured(r) && !r.accuracy.empty()) by_dtype[r.dtype].push_back(&r);
  std::string text;
  for (const auto& [dtype, records] : by_dtype) text += figure(dtype, records);
  return text;
}

}  // namespace
extern const Section confident_tokens;
const Section confident_tokens = {"confident_tokens", "Confident tokens", html};
}  // namespace plusmax::reports::sections
