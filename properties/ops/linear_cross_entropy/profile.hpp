// The built-in cases of linear_cross_entropy.
#pragma once

#include "properties/profile.hpp"

namespace plusmax::properties::linear_cross_entropy {

std::vector<Case> profile(Profile, std::span<const plusmax_dtype>);

}  // namespace plusmax::properties::linear_cross_entropy
