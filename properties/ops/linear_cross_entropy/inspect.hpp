// linear_cross_entropy number by number, for replay and explain.
#pragma once

#include "properties/answers.hpp"
#include "properties/inspect.hpp"
#include "properties/subject.hpp"

namespace plusmax::properties::linear_cross_entropy {

// Throws DeviceError.
std::vector<RowResult> inspect(const Case&, const Subject&, InspectLimits);
std::vector<RowBound> explain(const Case&, const Subject&, InspectLimits);
std::vector<ResultName> results(const Case&);

}  // namespace plusmax::properties::linear_cross_entropy
