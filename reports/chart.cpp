#include "reports/chart.hpp"

#include "reports/html.hpp"
#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plusmax::reports {
namespace {

// Where a value lies between two others, on a logarithmic scale; outside counts as at the edge.
class LogScale {
 public:
  LogScale(double from, double to, double pixel_from, double pixel_to)
      : from_(std::log(from)), to_(std::log(to)), pixel_from_(pixel_from), pixel_to_(pixel_to) {}
  double operator()(double value) const {
    const double at = value > 0 ? std::clamp(std::log(value), from_, to_) : std::isnan(value) ? to_ : from_;
    return pixel_from_ + (at - from_) / (to_ - from_) * (pixel_to_ - pixel_from_);
  }

 private:
  double from_, to_, pixel_from_, pixel_to_;
};

std::string line(const char* classes, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", classes, x1, y1, x2, y2);
}

std::string text(double x, double y, const char* anchor, std::string_view content, const char* classes = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>", x, y, anchor, classes, escaped(content));
}

std::string power_of_two(int exponent) {
  return exponent < 14 ? fmt::format("{}", 1 << exponent) : fmt::format("2^{}", exponent);
}

std::string open_svg(double width, double height, std::string_view label) {
  return fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">\n", width,
                     height, escaped(label));
}

}  // namespace

std::string svg_marker(Marker marker, double x, double y, int colour, const std::string& title) {
  constexpr double r = 4;
  const std::string inside = title.empty() ? "" : "<title>" + escaped(title) + "</title>";
  const std::string classes = fmt::format("class=\"mark c{}\"", colour % 8);
  switch (marker) {
    case Marker::circle: return fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\">{}</circle>\n", classes, x, y, r, inside);
    case Marker::square: return fmt::format("<rect {} x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\">{}</rect>\n", classes, x - 3.5, y - 3.5, inside);
    case Marker::triangle:
      return fmt::format("<path {} d=\"M{:.1f} {:.1f}l4.5 8h-9z\">{}</path>\n", classes, x, y - 5, inside);
    case Marker::diamond: break;
  }
  return fmt::format("<path {} d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\">{}</path>\n", classes, x, y - 5, inside);
}

std::string svg_of(const ScatterPlot& plot) {
  constexpr double width = 1100, left = 70, right = 1080, top = 16;
  const double bottom = 396, height = bottom + 52 + 20 * std::ceil(static_cast<double>(plot.legend.size()) / 5);
  const LogScale x(plot.x_from, plot.x_to, left, right), y(plot.y_from, plot.y_to, bottom, top);
  std::string svg = open_svg(width, height, plot.y_title + " against " + plot.x_title);
  const double base = plot.decimal_x ? 10 : 2;
  const auto exponent_of = [&](double value) { return std::log(value) / std::log(base); };
  const int first_x = static_cast<int>(std::ceil(exponent_of(plot.x_from) - 1e-9)), last_x = static_cast<int>(std::floor(exponent_of(plot.x_to) + 1e-9));
  for (int exponent = first_x; exponent <= last_x; ++exponent) {
    const double at = x(std::pow(base, exponent));
    svg += line("grid", at, top, at, bottom);
    if (exponent % 2 == 0) svg += text(at, bottom + 16, "middle", plot.decimal_x ? fmt::format("1e{}", exponent) : power_of_two(exponent));
  }
  const int first_y = static_cast<int>(std::ceil(std::log10(plot.y_from) - 1e-9)), last_y = static_cast<int>(std::floor(std::log10(plot.y_to) + 1e-9));
  for (int exponent = first_y; exponent <= last_y; ++exponent) {
    const double value = std::pow(10.0, exponent), at = y(value);
    svg += line("grid", left, at, right, at) + text(left - 8, at + 4, "end", fmt::format("{:g}", value));
  }
  svg += line("axis", left, bottom, right, bottom) + line("axis", left, top, left, bottom);
  svg += line("limit", left, y(plot.limit), right, y(plot.limit)) + text(right - 4, y(plot.limit) - 6, "end", plot.limit_text, "limit-text");
  for (const Mark& mark : plot.marks) svg += svg_marker(mark.marker, x(mark.x), y(mark.y), mark.colour, mark.title);
  svg += text((left + right) / 2, bottom + 36, "middle", plot.x_title);
  svg += fmt::format("<text transform=\"translate(16 {:.0f}) rotate(-90)\" text-anchor=\"middle\">{}</text>", (top + bottom) / 2, escaped(plot.y_title));
  for (std::size_t i = 0; i < plot.legend.size(); ++i) {
    const double at_x = left + 6 + 200 * static_cast<double>(i % 5), at_y = bottom + 58 + 20 * static_cast<double>(i / 5);
    svg += svg_marker(plot.legend[i].marker, at_x, at_y - 4, plot.legend[i].colour, "") + text(at_x + 10, at_y, "start", plot.legend[i].text);
  }
  return svg + "</svg>\n";
}

std::string svg_of_bars(const std::string& heading, const std::vector<Bar>& bars) {
  constexpr double width = 540, left = 10, right = 530, top = 44, bottom = 190, height = 236;
  std::uint64_t total = 0, most = 1;
  for (const Bar& bar : bars) total += bar.count, most = std::max(most, bar.count);
  std::string svg = open_svg(width, height, heading);
  svg += text(left, 16, "start", heading, "strong");
  const double step = (right - left) / static_cast<double>(std::max<std::size_t>(bars.size(), 1));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double share = total > 0 ? static_cast<double>(bars[i].count) / static_cast<double>(total) : 0;
    const double x = left + step * static_cast<double>(i), full = (bottom - top) * static_cast<double>(bars[i].count) / static_cast<double>(most);
    const double tall = bars[i].count > 0 ? std::max(full, 1.0) : 0;
    svg += fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title></rect>\n", x + 1.5,
                       bottom - tall, step - 3, tall, escaped(bars[i].title));
    // Small shares would run into each other; their tooltips have the numbers.
    if (share >= 0.01) svg += text(x + step / 2, bottom - tall - 4, "middle", fmt::format("{:.{}f}%", 100 * share, bars.size() > 11 ? 0 : 1));
    svg += text(x + step / 2, bottom + 16, "middle", bars[i].label);
  }
  svg += line("axis", left, bottom, right, bottom);
  return svg + text((left + right) / 2, bottom + 36, "middle", "error in ulps of the result, upper end of each bin") + "</svg>\n";
}

std::string svg_of(const SeparationBar& bar) {
  constexpr double width = 1100, left = 30, right = 1070, axis = 84, height = 130;
  double least = std::min(bar.worst > 0 ? bar.worst : 1, 1.0), most = 10;
  for (const auto& [name, margin] : bar.margins)
    if (std::isfinite(margin)) most = std::max(most, margin), least = std::min(least, margin > 0 ? margin : least);
  const double from = std::pow(10, std::floor(std::log10(least)) - 0.3), to = std::pow(10, std::ceil(std::log10(most)) + 0.3);
  const LogScale x(from, to, left, right);
  std::string svg = open_svg(width, height, "separation of mutants from production kernels");
  const int first = static_cast<int>(std::ceil(std::log10(from))), last = static_cast<int>(std::floor(std::log10(to)));
  const int stride = std::max(1, (last - first) / 12);
  for (int exponent = first; exponent <= last; exponent += stride) {
    const double at = x(std::pow(10, exponent));
    svg += line("grid", at, 30, at, axis) + text(at, axis + 16, "middle", exponent >= -2 && exponent <= 3 ? fmt::format("{:g}", std::pow(10, exponent)) : fmt::format("1e{}", exponent));
  }
  svg += line("axis", left, axis, right, axis) + line("limit", x(1), 24, x(1), axis) + text(x(1), 18, "middle", "bound", "limit-text");
  double weakest = INFINITY;
  for (const auto& [name, margin] : bar.margins) {
    weakest = std::min(weakest, margin);
    svg += fmt::format("<rect class=\"bad-fill\" fill-opacity=\"0.7\" x=\"{:.1f}\" y=\"50\" width=\"3\" height=\"34\"><title>{}</title></rect>\n",
                       x(margin) - 1.5, escaped(name + ": " + brief(margin)));
  }
  svg += fmt::format("<circle class=\"good-fill\" cx=\"{:.1f}\" cy=\"{}\" r=\"6\"><title>{}</title></circle>\n", x(bar.worst), axis,
                     escaped("worst production result: " + brief(bar.worst)));
  if (std::isfinite(weakest) && bar.worst > 0) {
    svg += line("gap", x(bar.worst), 40, x(weakest), 40);
    svg += text((x(bar.worst) + x(weakest)) / 2, 34, "middle", "×" + brief(weakest / bar.worst), "strong");
  }
  return svg + text((left + right) / 2, axis + 36, "middle", "error / bound: ● worst production result, ▮ each mutant's margin (infinite ones at the right edge)") + "</svg>\n";
}

}  // namespace plusmax::reports
