// The launches around the rows, the same for every variant: kernels/cross_entropy/parts.
#pragma once

#include "kernels/cross_entropy/params.hpp"
#include "kernels/status.hpp"

namespace plusmax::cross_entropy {

// Before: counts of the targets. Nothing where nobody asks for them.
Status launch_count(const Params&, void* workspace, void* stream);
// After: the loss of all rows, and the counts that are outputs.
Status launch_reduce(const Params&, void* workspace, void* stream);

}  // namespace plusmax::cross_entropy
