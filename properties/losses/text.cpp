#include "properties/losses/text.hpp"

#include <cmath>

namespace plusmax::properties::losses {

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& instead) {
  throw UsageError(std::string(key) + "=" + in_quotes(value) + instead);
}

namespace {

std::optional<double> read_value(std::string_view text, double) { return parse_number(text); }
std::optional<std::int64_t> read_value(std::string_view text, std::int64_t) { return parse_integer(text); }
std::string value_text(double value) { return number_text(value); }
std::string value_text(std::int64_t value) { return std::to_string(value); }

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    items.push_back(trim(text.substr(begin, end - begin)));
  }
  return items;
}

namespace {

template <class T>
List<T> read_list(std::string_view key, std::string_view text, std::int64_t size, const char* of) {
  if (!text.ends_with(']'))
    refuse(key, text, ": write [1,2], with ... at its end to repeat it, INDEX:VALUE for one apart");
  const std::string_view inner = trim(text.substr(1, text.size() - 2));
  List<T> list;
  for (const std::string_view item : inner.empty() ? std::vector<std::string_view>() : items_of(inner)) {
    if (list.repeats) refuse(key, text, ": '...' is not at the end of the list: move it there");
    if (item == "...") {
      list.repeats = true;
      continue;
    }
    const std::size_t colon = item.find(':');
    const auto index = colon == item.npos ? std::nullopt : parse_integer(item.substr(0, colon));
    const auto value = read_value(colon == item.npos ? item : item.substr(colon + 1), T());
    if (!value || (colon != item.npos && !index))
      refuse(key, item, ": write a number, INDEX:NUMBER, or ... at the end");
    if (!index) {
      list.values.push_back(*value);
      continue;
    }
    if (*index < 0 || *index >= size)
      refuse(key, item, ": there are " + std::to_string(size) + " " + of + ", counted from 0");
    for (const auto& [other, known] : list.apart)
      if (other == *index) refuse(key, item, ": " + std::to_string(other) + " has a value already: keep one");
    list.apart.emplace_back(*index, *value);
  }
  const auto given = static_cast<std::int64_t>(list.values.size());
  if (list.repeats ? given == 0 || given > std::max<std::int64_t>(size, 1) : given != size)
    throw UsageError(std::string(key) + ": " + std::to_string(given) + " values for " + std::to_string(size) + " " +
                     of + ": give one each, or end the list with '...' to repeat it");
  std::sort(list.apart.begin(), list.apart.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  return list;
}

template <class T>
std::string text_of(const List<T>& list) {
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ",") + item; };
  for (const auto& [index, value] : list.apart) add(std::to_string(index) + ":" + value_text(value));
  for (const T value : list.values) add(value_text(value));
  if (list.repeats) add("...");
  return "[" + out + "]";
}

}  // namespace

List<double> read_numbers(std::string_view key, std::string_view text, std::int64_t size, const char* of) {
  return read_list<double>(key, text, size, of);
}
List<std::int64_t> read_integers(std::string_view key, std::string_view text, std::int64_t size, const char* of) {
  return read_list<std::int64_t>(key, text, size, of);
}
std::string list_text(const List<double>& list) { return text_of(list); }
std::string list_text(const List<std::int64_t>& list) { return text_of(list); }

double number(std::string_view key, std::string_view text, double least, double most, bool open) {
  const auto value = parse_number(text);
  if (!value || !std::isfinite(*value) || *value < least || *value > most ||
      (open && (*value == least || *value == most)))
    refuse(key, text,
           ": use a finite number " + std::string(open && least == 0 ? "above " : "from ") + number_text(least) +
               (std::isfinite(most) ? " to " + number_text(most) : ""));
  return *value;
}

std::int64_t integer(std::string_view key, std::string_view text) {
  const auto value = parse_integer(text);
  if (!value) refuse(key, text, ": write a whole number such as -100 or 2^31");
  return *value;
}

}  // namespace plusmax::properties::losses
