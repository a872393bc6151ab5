// JSON as the report files use it. Internal to reports/: no public header includes it.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace plusmax::reports {

using Json = nlohmann::ordered_json;

// A finite number as a number (shortest decimal that reads back to the same bits); "nan", "inf", "-inf" as strings.
Json number(double value);
// The same under `key`, and as a hex-float string under key_hex.
void put_exact(Json& object, const std::string& key, double value);
// Reads what number() or put_exact() wrote; the hex string wins. `initial` if the key is absent.
double get_number(const Json& object, const std::string& key, double initial = 0);

inline void put_text(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}
inline void put_count(Json& object, const char* key, std::uint64_t value) {
  if (value != 0) object[key] = value;
}
// Throws std::runtime_error unless it is a whole number from 0 to 2^64 - 1; `initial` if the key is absent.
std::uint64_t get_count(const Json& object, const std::string& key, std::uint64_t initial = 0);
// The same for a size, which must be there: at most 2^63 - 1.
std::int64_t get_size(const Json& object, const std::string& key);
template <class T>
T get_or(const Json& object, const char* key, T initial) {
  const auto found = object.find(key);
  return found == object.end() ? initial : found->template get<T>();
}

// Text of one line; bytes that are no UTF-8 are replaced, never refused: a report must not fail on a strange message.
std::string dump(const Json& value, int indent = -1);

}  // namespace plusmax::reports
