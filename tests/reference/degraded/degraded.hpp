// The algorithm of the reference, compiled as a careless build would.
#pragma once

#include "reference/row_kernel.hpp"

namespace plusmax::test {
const reference::RowKernel& contracted_row_kernel();     // the source of the portable tier
const reference::RowKernel& contractible_row_kernel();   // the same with negation by subtraction
const reference::RowKernel& fast_math_row_kernel();
}  // namespace plusmax::test
