// Signed errors in ulps: a centre that lies beside 0 is a bias.
#include "reports/chart.hpp"
#include "reports/group.hpp"
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace plusmax::reports::sections {
namespace {

using properties::Record;
using Histogram = std::map<int, std::uint64_t>;

constexpr int kLastBin = 9;  // what lies beyond is drawn in the last bin

double upper_end(int bin) { return std::ldexp(1.0, std::abs(bin) - 2); }

std::string label(int bin) {
  if (bin == 0) return "0";
  const double end = upper_end(bin);
  const char* sign = bin < 0 ? "−" : "";
  if (std::abs(bin) >= kLastBin) return bin < 0 ? "less" : "more";
  return end < 1 ? fmt::format("{}½", sign) : fmt::format("{}{}", sign, static_cast<int>(end));
}

std::string range(int bin) {
  if (bin == 0) return "|error| < 1/4 ulp";
  const std::string low = brief(upper_end(bin) / 2), high = brief(upper_end(bin));
  if (std::abs(bin) >= kLastBin) return fmt::format("{} {} ulp or more", bin < 0 ? "below by" : "above by", low);
  return fmt::format("{} by {} to {} ulp", bin < 0 ? "below" : "above", low, high);
}

std::string figure(const std::string& name, const Histogram& histogram) {
  int widest = 3;
  for (const auto& [bin, count] : histogram) widest = std::max(widest, std::abs(bin));
  std::vector<Bar> bars;
  std::uint64_t below = 0, above = 0, total = 0;
  for (const auto& [bin, count] : histogram) {
    total += count;
    (bin < 0 ? below : above) += bin == 0 ? 0 : count;
  }
  for (int bin = -widest; bin <= widest; ++bin) {
    const auto found = histogram.find(bin);
    const std::uint64_t count = found == histogram.end() ? 0 : found->second;
    bars.push_back({label(bin), fmt::format("{}: {} of {}", range(bin), grouped(count), grouped(total)), count});
  }
  const double bias = total > 0 ? (static_cast<double>(above) - static_cast<double>(below)) / static_cast<double>(total) : 0;
  return "<figure>" + svg_of_bars(fmt::format("{}: {} results, {:+.1f} % more above than below", name, grouped(total), 100 * bias), bars) + "</figure>\n";
}

std::string html(const Page& page) {
  std::map<std::string, Histogram> by_variant;  // of an operation
  for (const Record& r : page.data.records) {
    if (!measured(r)) continue;
    for (const auto& [bin, count] : r.ulp_histogram) by_variant[r.op + " " + r.variant][std::clamp(bin, -kLastBin, kLastBin)] += count;
  }
  if (by_variant.empty()) return "";
  std::string text = "<p class=\"soft\">Distance of each finite result from the exact value, before any rounding of that value; a correctly rounded result lies within half an ulp.</p><div class=\"multiples\">";
  for (const auto& [variant, histogram] : by_variant) text += figure(variant, histogram);
  return text + "</div>\n";
}

}  // namespace
extern const Section ulp_histogram;
const Section ulp_histogram = {"ulp_histogram", "Errors in ulps", html};
}  // namespace plusmax::reports::sections
