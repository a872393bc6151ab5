// The adapter of linear_cross_entropy: a call -> guarded device memory -> a plan and one launch of one variant ->
// results. Each variant is one mode.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/ops/linear_cross_entropy/inputs.hpp"
#include "properties/ops/linear_cross_entropy/results.hpp"
#include "properties/subject.hpp"

#include <string>

namespace plusmax::properties::linear_cross_entropy {

const KernelVariant<plusmax::linear_cross_entropy::Params>& kernel_of(const Subject&);

// What is known of a launch without its results.
struct Planning {
  LinearCrossEntropyShape shape;
  plusmax::linear_cross_entropy::Planned planned;  // mode, chunk, chunks, workspace
};
struct Measured {
  Results results;
  Planning planning;
};

// Why the variant does not take the call, or empty; of a call that it takes, its plan and error shape.
std::string refusal(const Subject&, const Call&);
std::string refusal(const Subject&, const Case&);
Planning planning_of(const Subject&, const Call&);  // throws DeviceError if it does not take it
double result_bytes(const Case&, bool on_host);     // of X, W and their gradients
// Everything but addresses and the plan.
plusmax::linear_cross_entropy::Params params_of(const Call&);
plusmax::linear_cross_entropy::Params params_of(const Case&);
// For parameters with their addresses, or others that are as aligned.
Status plan_of(const Subject&, const Options&, const plusmax::linear_cross_entropy::Params&,
               plusmax::linear_cross_entropy::Planned&);

// Throws DeviceError for a fault, a race, a refused launch, a write outside the results or a changed input;
// std::bad_alloc if the device has not the memory.
Measured execute(const Subject&, const Call&, const Execution&);

}  // namespace plusmax::properties::linear_cross_entropy
