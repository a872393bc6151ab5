// The double-double tier in plain C++: the lanes of the vector tiers one after the other.
#include "reference/lane_scalar.hpp"
#include "reference/row_kernel_impl.hpp"

#ifdef __FAST_MATH__
#error "the reference must not be compiled with -ffast-math: it rests on error-free transformations"
#endif

namespace plusmax::reference {

const RowKernel& portable_row_kernel() {
  static constexpr RowKernel kKernel = make_row_kernel<ScalarLane>();
  return kKernel;
}

}  // namespace plusmax::reference
