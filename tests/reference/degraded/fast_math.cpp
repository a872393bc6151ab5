// A copy of the double-double algorithm compiled with -ffast-math.
#include "reference/lane_scalar.hpp"
#include "reference/row_kernel_impl.hpp"
#include "tests/reference/degraded/degraded.hpp"

namespace plusmax::test {
const reference::RowKernel& fast_math_row_kernel() {
  static constexpr reference::RowKernel kKernel = reference::make_row_kernel<reference::ScalarLane>();
  return kKernel;
}
}  // namespace plusmax::test
