// Which earlier accesses are ordered before the running thread's next step.
#pragma once

#include "kernels/platform/host/race/knowledge.hpp"

namespace plusmax::simt::race {

// The access was made at `time` by thread `fiber` of the cluster that ran then; `shared`: to shared memory, which does
// not outlive its cluster.
bool is_ordered(Time time, unsigned fiber, bool shared);

}  // namespace plusmax::simt::race
