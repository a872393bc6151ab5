// Our own kernels that do nothing but move bytes: the ceilings that times are compared with.
#pragma once

#include "kernels/platform/bench.hpp"

#include <cuda_runtime.h>

namespace plusmax::cuda {

// Launch shapes worth trying for a ceiling; the best one counts.
int ceiling_shapes(Traffic);
// Reads `bytes` bytes at `from`, and writes them to `to` (copy) or back (in place). Both 16-byte aligned; `bytes` is
// rounded down to 16. `sink` is a device word that is practically never written.
Status launch_ceiling(Traffic, int shape, const void* from, void* to, std::size_t bytes, unsigned* sink, void* stream);

}  // namespace plusmax::cuda
