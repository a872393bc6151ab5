// Pieces of a line.
#pragma once

#include <string_view>

namespace plusmax::properties {

inline std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// The text before `separator`, which is removed with it; all of it if there is none.
inline std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view head = rest.substr(0, end);
  rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  return trim(head);
}

// Where the bracket ends that `text` begins with, behind its ']'; npos if it does not end.
inline std::size_t end_of_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return i + 1;
  }
  return text.npos;
}

// As take_until(rest, ','), commas in brackets apart.
inline std::string_view take_item(std::string_view& rest) {
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '[') ++depth;
    if (rest[i] == ']') --depth;
    if (rest[i] != ',' || depth > 0) continue;
    const std::string_view item = rest.substr(0, i);
    rest = rest.substr(i + 1);
    return trim(item);
  }
  const std::string_view item = rest;
  rest = {};
  return trim(item);
}

}  // namespace plusmax::properties
