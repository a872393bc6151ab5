// Figures as inline SVG, complete without a script; every mark has a <title>.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plusmax::reports {

enum class Marker { circle, square, triangle, diamond };

struct Mark {
  double x, y;          // both are drawn on logarithmic axes; what lies outside is drawn at the edge
  int colour;           // 0 to 7
  Marker marker;
  std::string title;
};
struct LegendEntry {
  std::string text;
  int colour;
  Marker marker;
};
struct ScatterPlot {
  std::string x_title, y_title;
  double x_from, x_to, y_from, y_to;  // powers of 2 and of 10 are marked on the axes
  double limit;                       // a line across, with its text
  std::string limit_text;
  std::vector<Mark> marks;
  std::vector<LegendEntry> legend;
  bool decimal_x = false;             // powers of 10 on the x axis, not of 2
};
std::string svg_of(const ScatterPlot& plot);

struct Bar {
  std::string label, title;  // below the bar; tooltip
  std::uint64_t count;
};
// Heights are shares of the total, written above each bar of one percent or more.
std::string svg_of_bars(const std::string& heading, const std::vector<Bar>& bars);

// Production's worst error/bound and each mutant's margin on one logarithmic axis, with the gap between them.
struct SeparationBar {
  double worst;                          // production
  std::vector<std::pair<std::string, double>> margins;
  double smallest_allowed;               // separation
};
std::string svg_of(const SeparationBar& bar);

std::string svg_marker(Marker marker, double x, double y, int colour, const std::string& title);

}  // namespace plusmax::reports
