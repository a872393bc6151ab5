// The oracle of linear_cross_entropy on Boost's own floats, with the allowance of oracle_cpp_bin_float.cpp.
#include "reference/linear_cross_entropy_oracle_impl.hpp"
#include "reference/real.hpp"

namespace plusmax::reference {

const LinearCrossEntropyOracle& cpp_bin_float_linear_cross_entropy_oracle() {
  static constexpr LinearCrossEntropyOracle kOracle{"cpp_bin_float", linear_oracle_answer<BinFloat, 256>};
  return kOracle;
}

}  // namespace plusmax::reference
