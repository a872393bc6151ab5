#include "reports/json.hpp"

#include "reports/numbers.hpp"

#include <cmath>

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

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace plusmax::reports
