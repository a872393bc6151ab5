// Writes JSON text piece by piece, for verbs that answer with --json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plusmax::reports {

class JsonWriter {
 public:
  // Within an object each value takes a key; within an array, and for the outermost value, the key is empty.
  JsonWriter& begin_object(std::string_view key = {});
  JsonWriter& end_object();
  JsonWriter& begin_array(std::string_view key = {});
  JsonWriter& end_array();
  JsonWriter& text(std::string_view key, std::string_view value);
  JsonWriter& boolean(std::string_view key, bool value);
  JsonWriter& integer(std::string_view key, std::int64_t value);
  JsonWriter& unsigned_integer(std::string_view key, std::uint64_t value);
  JsonWriter& real(std::string_view key, double value);        // NaN and infinities as strings
  JsonWriter& exact(std::string_view key, double value);       // real, and key_hex
  JsonWriter& raw(std::string_view key, std::string_view json); // text that is JSON already

  const std::string& str() const { return out_; }

 private:
  void lead(std::string_view key);
  void open(std::string_view key, char bracket);
  void close(char bracket);

  std::string out_;
  std::vector<bool> empty_;  // of each open object or array
};

std::string json_quoted(std::string_view text);

}  // namespace plusmax::reports
