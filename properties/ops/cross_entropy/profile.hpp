// The built-in cases of cross_entropy.
#pragma once

#include "properties/profile.hpp"

namespace plusmax::properties::cross_entropy {

std::vector<Case> profile(Profile, std::span<const plusmax_dtype>);

}  // namespace plusmax::properties::cross_entropy
