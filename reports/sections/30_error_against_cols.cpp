// Error / bound against the length of the row: a series that climbs towards the line is a sum that drifts.
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

using properties::Record;

constexpr double kFloor = 1e-5, kCeiling = 100;

// The worst record of each length; lengths that share a pixel share a mark.
using Key = std::tuple<std::string, std::string, int>;  // variant, dtype, position on the axis
using Worst = std::map<Key, const Record*>;

std::map<std::string, Worst> worst_by_length(const RunData& data) {  // of each operation
  std::map<std::string, Worst> worst;
  for (const Record& r : data.records) {
    if (!measured(r) || r.cols < 1) continue;
    const Record*& best = worst[r.op][{r.variant, r.dtype, length_place(r.cols)}];
    if (best == nullptr || !(r.worst_ratio <= best->worst_ratio)) best = &r;
  }
  return worst;
}

std::string figure(const std::string& op, const Worst& worst, const Series& series) {
  ScatterPlot plot{"columns", "error / bound", 1, 2, kFloor, 10, 1, "bound", {}, {}};
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& [key, r] : worst) {
    seen.insert({r->variant, r->dtype});
    plot.x_to = std::max(plot.x_to, 1.2 * static_cast<double>(r->cols));
    if (!(r->worst_ratio <= 10)) plot.y_to = kCeiling;
    plot.marks.push_back({static_cast<double>(r->cols), r->worst_ratio, series.colour(r->variant), series.marker(r->dtype),
                          fmt::format("{} {} {}: {}, {} columns\n{}", r->variant, r->dtype, r->check, brief(r->worst_ratio), r->cols, r->case_line)});
  }
  for (const auto& [variant, dtype] : seen) plot.legend.push_back({variant + " " + dtype, series.colour(variant), series.marker(dtype)});
  return "<figure>" + svg_of(plot) +
         fmt::format("<figcaption>{}: largest error of each length as a share of its derived bound: colour is the variant, shape the "
                     "storage type. Errors below {} of the bound, exact results included, lie on the lower edge; anything above the "
                     "line is a failure.</figcaption></figure>\n",
                     code(op), kFloor);
}

std::string html(const Page& page) {
  const Series series(page.data.records);
  std::string text;
  for (const auto& [op, worst] : worst_by_length(page.data)) text += figure(op, worst, series);
  return text;
}

}  // namespace
extern const Section error_against_cols;
const Section error_against_cols = {"error_against_cols", "Error against columns", html};
}  // namespace plusmax::reports::sections
