#include "properties/number.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace plusmax::properties {
namespace {

template <class T, class... Format>
std::optional<T> parse_all(std::string_view text, Format... format) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format...);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool starts_hexadecimal(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[40];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::optional<double> parse_number(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (text.empty() || text[0] == '-' || text[0] == '+') return std::nullopt;
  const std::string word = lower(text);
  std::optional<double> value;
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (starts_hexadecimal(text)) {
    text.remove_prefix(2);
    if (text[0] != '-') value = parse_all<double>(text, std::chars_format::hex);
  } else if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.') {
    value = parse_all<double>(text, std::chars_format::general);
  }
  if (value && negative) value = -*value;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with("2^")) {
    const auto exponent = parse_all<int>(text.substr(2));
    if (!exponent || *exponent < 0 || *exponent > 62) return std::nullopt;
    return std::int64_t{1} << *exponent;
  }
  return parse_all<std::int64_t>(text);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  if (starts_hexadecimal(text)) return parse_all<std::uint64_t>(text.substr(2), 16);
  return parse_all<std::uint64_t>(text);
}

}  // namespace plusmax::properties
