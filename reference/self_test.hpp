// What self_test() runs, open to tests that hand it a degraded exponential.
#pragma once

#include "reference/cross_entropy_kernel.hpp"
#include "reference/row_kernel.hpp"

namespace plusmax::reference {

// Largest relative error of the kernel's exponential on a fixed sample. Throws std::logic_error, naming `name` and the
// argument, if it exceeds kExpRelativeError, or if the kernel's row sums exceed theirs.
double check_row_kernel(const RowKernel&, const char* name);

// The same for the passes of cross_entropy: the loss and gradient of a row with every option, against the oracle.
void check_cross_entropy_kernel(const CrossEntropyKernel&, const char* name);

}  // namespace plusmax::reference
