// Values of options as case lines write them. What cannot be read throws UsageError, naming the key.
#pragma once

#include "properties/case.hpp"
#include "properties/number.hpp"
#include "properties/suggest.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties::losses {

// [1,2] has a value an index; "..." at the end repeats them, and INDEX:VALUE is one apart: [16384:5,0,...].
template <class T>
struct List {
  std::vector<T> values;
  bool repeats = false;
  std::vector<std::pair<std::int64_t, T>> apart;

  T at(std::int64_t index) const {
    for (const auto& [where, value] : apart)
      if (where == index) return value;
    return values[static_cast<std::size_t>(index) % values.size()];
  }
};

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& instead);

template <std::size_t kCount>
int word(std::string_view key, std::string_view text, const char* const (&words)[kCount]) {
  const auto found = std::find(std::begin(words), std::end(words), text);
  if (found == std::end(words)) refuse(key, text, suggestion(text, {std::begin(words), std::end(words)}));
  return static_cast<int>(found - std::begin(words));
}
double number(std::string_view key, std::string_view text, double least, double most, bool open = false);
std::int64_t integer(std::string_view key, std::string_view text);
// A bit each of `names`, separated by commas, or none of them: "none".
template <std::size_t kCount>
unsigned bits_of(std::string_view key, std::string_view text, const char* const (&names)[kCount]);
template <std::size_t kCount>
std::string bits_text(unsigned bits, const char* const (&names)[kCount]) {
  std::string out;
  for (std::size_t i = 0; i < kCount; ++i)
    if (bits & (1u << i)) out += (out.empty() ? "" : ",") + std::string(names[i]);
  return out.empty() ? "none" : out;
}

std::vector<std::string_view> items_of(std::string_view text);  // between commas
// `size`: of what it is a list of; `of`: their name.
List<double> read_numbers(std::string_view key, std::string_view text, std::int64_t size, const char* of);
List<std::int64_t> read_integers(std::string_view key, std::string_view text, std::int64_t size, const char* of);
std::string list_text(const List<double>&);
std::string list_text(const List<std::int64_t>&);

template <std::size_t kCount>
unsigned bits_of(std::string_view key, std::string_view text, const char* const (&names)[kCount]) {
  unsigned bits = 0;
  if (text == "none") return bits;
  for (const std::string_view item : items_of(text)) bits |= 1u << word(key, item, names);
  return bits;
}

}  // namespace plusmax::properties::losses
