// A fill is one distribution of logits: properties/fills/NAME.cpp defines `extern const Fill NAME`.
#pragma once

#include "properties/case.hpp"
#include "properties/random.hpp"

#include <span>

namespace plusmax::properties {

struct FillParameter {
  const char* name;
  double initial;       // its default
  const char* meaning;
};

struct FillRow {
  const Case& of;
  std::int64_t row;
  Random random;        // counter-based, keyed by (seed, row); random.bits(col, stream)
  double parameter(std::string_view name) const;  // of the case, or its default
};

struct Fill {
  const char* name;
  const char* exposes;  // which mistake, in one sentence
  std::span<const FillParameter> parameters;
  void (*write)(const FillRow&, std::span<double> out);  // rounded to the dtype afterwards, by fill_row()
};

namespace fills {
std::span<const Fill* const> all();
}
const Fill* find_fill(std::string_view name);  // nullptr if there is none

}  // namespace plusmax::properties
