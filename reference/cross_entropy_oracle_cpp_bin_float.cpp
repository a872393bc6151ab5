// The oracle of cross_entropy on Boost's own floats, with the allowance and the ladder of oracle_cpp_bin_float.cpp.
#include "reference/cross_entropy_oracle_impl.hpp"
#include "reference/real.hpp"

namespace plusmax::reference {

const CrossEntropyOracle& cpp_bin_float_cross_entropy_oracle() {
  static constexpr CrossEntropyOracle kOracle = CrossEntropyBackend<BinFloat, 256, 4>::make("cpp_bin_float");
  return kOracle;
}

}  // namespace plusmax::reference
