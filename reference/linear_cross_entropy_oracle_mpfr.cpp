// The oracle of linear_cross_entropy on MPFR, whose functions are correctly rounded: one ulp covers them.
#include "reference/linear_cross_entropy_oracle_impl.hpp"
#include "reference/real.hpp"

namespace plusmax::reference {

const LinearCrossEntropyOracle* mpfr_linear_cross_entropy_oracle() {
#ifdef PLUSMAX_HAVE_MPFR
  static constexpr LinearCrossEntropyOracle kOracle{"mpfr", linear_oracle_answer<MpfrFloat, 1>};
  return &kOracle;
#else
  return nullptr;
#endif
}

}  // namespace plusmax::reference
