#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace plusmax::reports {
namespace {

// The sign of a NaN says nothing; those of infinities do. Empty for a finite value.
const char* special_name(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return "";
}

}  // namespace

std::string decimal(double value) { return std::isfinite(value) ? fmt::format("{}", value) : special_name(value); }

std::string hex_float(double value) { return std::isfinite(value) ? fmt::format("{:a}", value) : special_name(value); }

std::string brief(double value, int digits) {
  if (!std::isfinite(value)) return special_name(value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string grouped(std::uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

std::string duration(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "?"; }

// In whole numbers, so that a script that does the same prints the same. GB begin at a tenth: 0.26 stands beside 6.30.
std::string memory_size(std::uint64_t bytes) {
  struct Unit {
    const char* name;
    std::uint64_t bytes, from;
  };
  constexpr Unit kUnits[] = {{"GB", 1'000'000'000, 100'000'000}, {"MB", 1'000'000, 1'000'000}, {"kB", 1000, 1000}};
  for (const Unit& unit : kUnits) {
    if (bytes < unit.from) continue;
    const int digits = unit.from < unit.bytes || bytes < 10 * unit.bytes ? 2 : bytes < 100 * unit.bytes ? 1 : 0;
    const std::uint64_t parts = digits == 2 ? 100 : digits == 1 ? 10 : 1, step = unit.bytes / parts;
    const std::uint64_t steps = (bytes + step / 2) / step;
    if (digits == 0) return fmt::format("{} {}", steps, unit.name);
    return fmt::format("{}.{:0{}} {}", steps / parts, steps % parts, digits, unit.name);
  }
  return fmt::format("{} B", bytes);
}

double parse_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);  // reads hex floats, nan and inf as well
  if (copy.empty() || *end != '\0') throw std::invalid_argument(fmt::format("'{}' is not a number", text));
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

}  // namespace plusmax::reports
