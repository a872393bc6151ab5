// A fill is one distribution of logits: properties/fills/NAME.cpp defines `extern const Fill NAME`.
#pragma once

#include "properties/case.hpp"
#include "properties/random.hpp"

#include <limits>
#include <span>

namespace plusmax::properties {

struct FillParameter {
  const char* name;
  double initial;  // its default
  const char* meaning;
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool whole = false;  // whole numbers only
};

struct FillRow {
  const Case& of;
  std::int64_t row;
  Random random;                                  // counter-based, keyed by (seed, row); random.bits(col, stream)
  double parameter(std::string_view name) const;  // of the case, or its default
  // The column that parameter "column" names (the last one if there are fewer), or one chosen by the seed if it is -1.
  std::size_t column(std::size_t cols) const;
};

struct Fill {
  const char* name;
  const char* exposes;  // which mistake, in one sentence
  std::span<const FillParameter> parameters;
  // Rounded to the dtype afterwards, by fill_row(), finite values clipped to its finite range. `out` may be empty.
  void (*write)(const FillRow&, std::span<double> out);
};

namespace fills {
std::span<const Fill* const> all();
}
const Fill* find_fill(std::string_view name);   // nullptr if there is none
const Fill& fill_named(std::string_view name);  // throws UsageError if there is none

}  // namespace plusmax::properties
