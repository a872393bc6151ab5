// The oracle on MPFR, whose exp and log are correctly rounded: one ulp covers them.
#include "reference/oracle_impl.hpp"
#include "reference/real.hpp"

namespace plusmax::reference {

const OracleBackend* mpfr_oracle() {
#ifdef PLUSMAX_HAVE_MPFR
  static constexpr OracleBackend kBackend = Backend<MpfrFloat, 1, 2>::make("mpfr");
  return &kBackend;
#else
  return nullptr;
#endif
}

}  // namespace plusmax::reference
