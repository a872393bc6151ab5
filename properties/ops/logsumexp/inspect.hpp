// logsumexp row by row, for replay and explain.
#pragma once

#include "properties/case.hpp"
#include "properties/inspect.hpp"
#include "properties/subject.hpp"

namespace plusmax::properties::logsumexp {

// The first `most` rows of a case that the variant takes. Throws DeviceError.
std::vector<RowResult> inspect(const Case&, const Subject&, InspectLimits);
std::vector<RowBound> explain(const Case&, const Subject&, InspectLimits);

}  // namespace plusmax::properties::logsumexp
