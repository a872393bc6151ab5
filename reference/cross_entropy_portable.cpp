// The double-double passes of cross_entropy in plain C++.
#include "reference/cross_entropy_kernel_impl.hpp"
#include "reference/lane_scalar.hpp"

namespace plusmax::reference {

const CrossEntropyKernel& portable_cross_entropy_kernel() {
  static constexpr CrossEntropyKernel kKernel = make_cross_entropy_kernel<ScalarLane>();
  return kKernel;
}

}  // namespace plusmax::reference
