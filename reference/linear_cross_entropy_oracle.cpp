#include "reference/linear_cross_entropy_oracle.hpp"

namespace plusmax::reference {

const LinearCrossEntropyOracle& linear_cross_entropy_oracle() {
  const LinearCrossEntropyOracle* mpfr = mpfr_linear_cross_entropy_oracle();
  return mpfr != nullptr ? *mpfr : cpp_bin_float_linear_cross_entropy_oracle();
}

}  // namespace plusmax::reference
