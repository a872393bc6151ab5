// Relative accuracy as the label's probability goes to 1, beside the textbook formulas.
#include "reports/chart.hpp"
#include "reports/group.hpp"
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace plusmax::reports::sections {
namespace {

using properties::AccuracyPoint;
using properties::Record;

constexpr double kFloor = 1e-3, kCeiling = 1e9;

// Marks that would lie on one another share a place.
using Place = std::tuple<int, int, int>;  // colour, tenths of a decade along either axis
Place place_of(int colour, double x, double ulps) {
  const auto tenths = [](double value) { return static_cast<int>(std::lround(10 * std::log10(value))); };
  return {colour, tenths(std::max(x, 1e-40)), tenths(ulps <= kCeiling ? std::max(ulps, kFloor) : kCeiling)};
}

std::string figure(const std::string& dtype, const std::vector<const Record*>& records) {
  ScatterPlot plot{"1 - p of the label", "error in ulps", 1e-31, 1e-1, kFloor, kCeiling, 0.5, "correctly rounded", {}, {}};
  plot.decimal_x = true;
  std::map<std::string, std::pair<double, double>> worst;  // of each result: ours, the textbook's
  std::set<Place> taken;
  for (const Record* r : records)
    for (const AccuracyPoint& p : r->accuracy) {
      const bool loss = p.result == "loss";
      auto& [ours, textbook] = worst[p.result];
      ours = std::max(ours, p.ulps), textbook = std::max(textbook, p.textbook_ulps);
      const auto mark = [&](int colour, Marker marker, double ulps, const std::string& who) {
        if (taken.insert(place_of(colour, p.x, ulps)).second)
          plot.marks.push_back({p.x, ulps, colour, marker, fmt::format("{} {}: {} ulp at 1 - p = {}", who, p.result, brief(ulps), brief(p.x))});
      };
      mark(loss ? 0 : 1, Marker::circle, p.ulps, r->variant);
      mark(loss ? 2 : 3, Marker::triangle, p.textbook_ulps, "textbook");
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
