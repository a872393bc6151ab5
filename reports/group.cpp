#include "reports/group.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace plusmax::reports {

using properties::Outcome;
using properties::Record;

bool measured(const Record& r) {
  return r.mutant.empty() && (r.outcome == Outcome::passed || r.outcome == Outcome::failed || r.outcome == Outcome::untrusted) && r.compared > 0;
}

int length_place(std::int64_t cols) { return static_cast<int>(std::lround(24 * std::log2(static_cast<double>(cols)))); }

Series::Series(const std::vector<Record>& records) {
  std::set<std::string> names;
  for (const Record& r : records)
    if (!r.variant.empty()) names.insert(r.variant);
  variants_.assign(names.begin(), names.end());
}

int Series::colour(const std::string& variant) const {
  return static_cast<int>(std::lower_bound(variants_.begin(), variants_.end(), variant) - variants_.begin()) % 8;
}

Marker Series::marker(const std::string& dtype) const {
  if (dtype == "f16") return Marker::square;
  if (dtype == "bf16") return Marker::triangle;
  return dtype == "f64" ? Marker::diamond : Marker::circle;
}

std::string pattern_of(const std::string& reason) {
  std::string pattern;
  bool in_number = false;
  for (const char c : reason) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) pattern += c;
    else if (!in_number) pattern += '#';
    in_number = digit;
  }
  return pattern;
}

}  // namespace plusmax::reports
