// The double-double tier on AVX-512 F and DQ: 4 vectors of 8 lanes. Runs only where cpuid promises both.
#include "reference/lane_avx512.hpp"
#include "reference/row_kernel_impl.hpp"

namespace plusmax::reference {

const RowKernel& avx512_row_kernel() {
  static constexpr RowKernel kKernel = make_row_kernel<Avx512Lanes>();
  return kKernel;
}

}  // namespace plusmax::reference
