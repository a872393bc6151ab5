// The built-in cases of logsumexp.
#pragma once

#include "properties/profile.hpp"

namespace plusmax::properties::logsumexp {

std::vector<Case> profile(Profile, std::span<const plusmax_dtype>);

}  // namespace plusmax::properties::logsumexp
