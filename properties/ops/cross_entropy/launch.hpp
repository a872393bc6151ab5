// The adapter of cross_entropy: a call -> guarded device memory -> one launch of one variant -> results.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/ops/cross_entropy/inputs.hpp"
#include "properties/ops/cross_entropy/results.hpp"
#include "properties/subject.hpp"

#include <string>

namespace plusmax::properties::cross_entropy {

// Why the variant does not take the call, or empty.
std::string refusal(const Subject&, const Call&);
std::string refusal(const Subject&, const Case&);
// Of a gradient: as read back, and where it is written out of place on the host.
double result_bytes(const Case&, bool on_host);
std::string backward_refusal(const Subject&, const Call&);
CrossEntropyShape error_shape(const Subject&, const Call&);
const KernelVariant<plusmax::cross_entropy::Params>& kernel_of(const Subject&);
plusmax::cross_entropy::Params params_of(const Call&);  // everything but addresses

// Throws DeviceError for a fault, a race, a refused launch, a write outside the results or a changed input;
// std::bad_alloc if the device has not the memory.
Results execute(const Subject&, const Call&, const Execution&);
// The gradient alone, from the state that an execution left.
Results execute_backward(const Subject&, const Call&, const Output& state, const Execution&);

}  // namespace plusmax::properties::cross_entropy
