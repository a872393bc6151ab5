#include "reports/json_writer.hpp"

#include "reports/json.hpp"
#include "reports/numbers.hpp"

#include <fmt/format.h>

namespace plusmax::reports {

std::string json_quoted(std::string_view text) { return dump(Json(std::string(text))); }

void JsonWriter::lead(std::string_view key) {
  if (!empty_.empty()) {
    if (!empty_.back()) out_ += ',';
    empty_.back() = false;
    out_ += '\n' + std::string(empty_.size(), ' ');
  }
  if (!key.empty()) out_ += json_quoted(key) + ": ";
}

void JsonWriter::open(std::string_view key, char bracket) {
  lead(key);
  out_ += bracket;
  empty_.push_back(true);
}

void JsonWriter::close(char bracket) {
  const bool empty = empty_.back();
  empty_.pop_back();
  if (!empty) out_ += '\n' + std::string(empty_.size(), ' ');
  out_ += bracket;
  if (empty_.empty()) out_ += '\n';
}

JsonWriter& JsonWriter::begin_object(std::string_view key) { return open(key, '{'), *this; }
JsonWriter& JsonWriter::end_object() { return close('}'), *this; }
JsonWriter& JsonWriter::begin_array(std::string_view key) { return open(key, '['), *this; }
JsonWriter& JsonWriter::end_array() { return close(']'), *this; }

JsonWriter& JsonWriter::raw(std::string_view key, std::string_view json) {
  lead(key);
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view key, std::string_view value) { return raw(key, json_quoted(value)); }
JsonWriter& JsonWriter::boolean(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
JsonWriter& JsonWriter::integer(std::string_view key, std::int64_t value) { return raw(key, fmt::format("{}", value)); }
JsonWriter& JsonWriter::unsigned_integer(std::string_view key, std::uint64_t value) {
  return raw(key, fmt::format("{}", value));
}
JsonWriter& JsonWriter::real(std::string_view key, double value) { return raw(key, dump(number(value))); }
JsonWriter& JsonWriter::exact(std::string_view key, double value) {
  real(key, value);
  return text(std::string(key) + "_hex", hex_float(value));
}

}  // namespace plusmax::reports
