// The double-double passes of cross_entropy on AVX-512 F and DQ.
#include "reference/cross_entropy_kernel_impl.hpp"
#include "reference/lane_avx512.hpp"

namespace plusmax::reference {

const CrossEntropyKernel& avx512_cross_entropy_kernel() {
  static constexpr CrossEntropyKernel kKernel = make_cross_entropy_kernel<Avx512Lanes>();
  return kKernel;
}

}  // namespace plusmax::reference
