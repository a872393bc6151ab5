// How records are grouped and coloured: the same way in every section.
#pragma once

#include "properties/record.hpp"
#include "reports/chart.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plusmax::reports {

// A production record with a ratio to show: it ran, and its check measures error / bound.
bool measured(const properties::Record& record);

// Place of a length on the axis of columns; lengths with the same place are one mark. cols >= 1.
int length_place(std::int64_t cols);

// Colours of variants, by name; shapes of storage types.
class Series {
 public:
  explicit Series(const std::vector<properties::Record>& records);
  int colour(const std::string& variant) const;
  Marker marker(const std::string& dtype) const;
  const std::vector<std::string>& variants() const { return variants_; }

 private:
  std::vector<std::string> variants_;  // sorted
};

// Digits replaced by #, so that reasons with different values in them count as one.
std::string pattern_of(const std::string& reason);

}  // namespace plusmax::reports
