// Results that must be others times a power of two, exactly.
#pragma once

#include "properties/ops/cross_entropy/measure.hpp"

#include <string_view>

namespace plusmax::properties::cross_entropy {

// Elements that are subnormal, overflow, or came near that on the way are left out: they lose bits by right.
void scaled_gradient(std::string_view what, const Results& got, const Results& want, double factor, std::int64_t row,
                     std::int64_t cols, Tally&);
void scaled_loss(std::string_view what, const Results& got, const Results& want, double factor, std::int64_t row,
                 std::int64_t cols, Tally&);

}  // namespace plusmax::properties::cross_entropy
