#include "reference/cross_entropy_oracle.hpp"

namespace plusmax::reference {

const CrossEntropyOracle& cross_entropy_oracle() {
  const CrossEntropyOracle* mpfr = mpfr_cross_entropy_oracle();
  return mpfr != nullptr ? *mpfr : cpp_bin_float_cross_entropy_oracle();
}

}  // namespace plusmax::reference
