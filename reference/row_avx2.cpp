// The double-double tier on AVX2 with FMA: 8 vectors of 4 lanes. Runs only where cpuid promises both.
#include "reference/lane_avx2.hpp"
#include "reference/row_kernel_impl.hpp"

namespace plusmax::reference {

const RowKernel& avx2_row_kernel() {
  static constexpr RowKernel kKernel = make_row_kernel<Avx2Lanes>();
  return kKernel;
}

}  // namespace plusmax::reference
