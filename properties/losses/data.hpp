// Targets, weights and upstream gradients, pure functions of the line: the same in any order, whatever other options
// say.
#pragma once

#include "properties/losses/options.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace plusmax::properties::losses {

std::int64_t target_of(const Case&, const LossOptions&, std::int64_t row, std::span<const double> logits);
double weight_of(const Case&, const LossOptions&, std::int64_t column);  // an exact f32; 1 without weights
double upstream_of(const Case&, const LossOptions&, std::int64_t row);   // an exact f32

// Of all rows and columns, as calls take them: without weights none, one upstream gradient for all rows once.
using LogitsOf = std::function<std::span<const double>(std::int64_t row)>;  // asked only if targets depend on them
std::vector<std::int64_t> targets_of(const Case&, const LossOptions&, const LogitsOf&);
std::vector<float> weights_of(const Case&, const LossOptions&);
std::vector<float> upstreams_of(const Case&, const LossOptions&);

}  // namespace plusmax::properties::losses
