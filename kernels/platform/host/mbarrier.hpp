// Barriers in shared memory, as the copies that complete on them see them.
#pragma once

#include "kernels/platform/host/machine.hpp"

namespace plusmax::simt {

// Fails unless an mbarrier lives there, in a block that runs. `what`: who uses it.
void check_mbarrier(const void*, const char* what, const char* file, int line);
// `bytes` have landed that `sender` sent.
void complete_bytes(const void*, unsigned bytes, unsigned sender_rank, const char* what, const char* file, int line);

}  // namespace plusmax::simt
