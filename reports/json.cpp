#include "reports/json.hpp"

#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace plusmax::reports {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(decimal(value)); }

void put_exact(Json& object, const std::string& key, double value) {
  object[key] = number(value);
  object[key + "_hex"] = hex_float(value);
}

double get_number(const Json& object, const std::string& key, double initial) {
  auto found = object.find(key + "_hex");
  if (found == object.end()) found = object.find(key);
  if (found == object.end()) return initial;
  return found->is_string() ? parse_number(found->get<std::string>()) : found->get<double>();
}

std::uint64_t get_count(const Json& object, const std::string& key, std::uint64_t initial) {
  const auto found = object.find(key);
  if (found == object.end()) return initial;
  if (!found->is_number_unsigned())
    throw std::runtime_error(fmt::format("{} is {}: it must be a whole number, 0 or more", key, dump(*found)));
  return found->get<std::uint64_t>();
}

std::int64_t get_size(const Json& object, const std::string& key) {
  object.at(key);
  const std::uint64_t size = get_count(object, key);
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw std::runtime_error(fmt::format("{} is {}: beyond 2^63", key, size));
  return static_cast<std::int64_t>(size);
}

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace plusmax::reports
