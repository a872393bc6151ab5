// A copy of the double-double algorithm compiled with -ffp-contract=fast.
#include "reference/lane_scalar.hpp"
#include "reference/row_kernel_impl.hpp"
#include "tests/reference/degraded/degraded.hpp"

namespace plusmax::test {
namespace {
// Negation by subtraction: now every product that is split into an exact pair may be contracted away.
struct SubtractingLane : reference::ScalarLane {
  static D neg(D a) { return 0.0 - a; }
};
}  // namespace

const reference::RowKernel& contracted_row_kernel() {
  static constexpr reference::RowKernel kKernel = reference::make_row_kernel<reference::ScalarLane>();
  return kKernel;
}
const reference::RowKernel& contractible_row_kernel() {
  static constexpr reference::RowKernel kKernel = reference::make_row_kernel<SubtractingLane>();
  return kKernel;
}
}  // namespace plusmax::test
