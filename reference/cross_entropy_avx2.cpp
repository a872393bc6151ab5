// The double-double passes of cross_entropy on AVX2 with FMA.
#include "reference/cross_entropy_kernel_impl.hpp"
#include "reference/lane_avx2.hpp"

namespace plusmax::reference {

const CrossEntropyKernel& avx2_cross_entropy_kernel() {
  static constexpr CrossEntropyKernel kKernel = make_cross_entropy_kernel<Avx2Lanes>();
  return kKernel;
}

}  // namespace plusmax::reference
