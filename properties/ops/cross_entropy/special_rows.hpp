// Rows with NaN and infinities, and the classes of their results as docs/numerics.md section 7 promises them: the table
// itself, not what the reference makes of it.
#pragma once

#include "properties/ops/cross_entropy/inputs.hpp"
#include "properties/random.hpp"
#include "reference/error.hpp"

#include <optional>
#include <vector>

namespace plusmax::properties::cross_entropy {

// Without weights. A gradient is NaN where the loss is, and finite elsewhere.
struct SpecialClasses {
  reference::ValueClass lse, loss, smoothed;  // smoothed: the loss with smoothing
};

struct SpecialRow {
  const char* name;
  std::vector<double> logits;
  std::int64_t target;
  std::optional<SpecialClasses> expected;  // none: it depends on what the type holds
  bool certain = false;                    // the label has all the probability
};

std::vector<SpecialRow> special_rows(plusmax_dtype, std::size_t cols, const Random&);

// Plain but for the formula's options of the case.
Call call_of_rows(const Case&, const std::vector<SpecialRow>&);

}  // namespace plusmax::properties::cross_entropy
