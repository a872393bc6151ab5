// The oracle of cross_entropy on MPFR, whose functions are correctly rounded: one ulp covers them.
#include "reference/cross_entropy_oracle_impl.hpp"
#include "reference/real.hpp"

namespace plusmax::reference {

const CrossEntropyOracle* mpfr_cross_entropy_oracle() {
#ifdef PLUSMAX_HAVE_MPFR
  static constexpr CrossEntropyOracle kOracle = CrossEntropyBackend<MpfrFloat, 1, 2>::make("mpfr");
  return &kOracle;
#else
  return nullptr;
#endif
}

}  // namespace plusmax::reference
