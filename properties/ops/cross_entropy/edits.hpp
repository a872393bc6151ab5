// Calls made from calls, for checks that compare two.
#pragma once

#include "properties/ops/cross_entropy/inputs.hpp"

#include <cstdint>
#include <span>

namespace plusmax::properties::cross_entropy {

// A mean that is divided by given numbers, so that no row's gradient depends on the other rows.
Call with_own_divisors(Call);

// Every row starts at the same place modulo 128 bytes, so that it may change its number.
Call leveled(Call);

// Each row multiplied from above by the power of two that brings its largest gradient into [1/8, 1/4): clear of what
// f16 loses, and where rounding to bf16 still tells a right result from a wrong one (tally.hpp).
Call lifted(const Call&);
Call with_upstream(Call, double factor);  // of every row

// Column k is what column order[k] was: logits, weights and targets.
Call rearranged(const Call&, std::span<const std::int64_t> order);

// Whether a target can be ignore_index, and whether the number can be a target at all: 32 bits may be too few.
bool holds_target(const Call&, std::int64_t target);

}  // namespace plusmax::properties::cross_entropy
