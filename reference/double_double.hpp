// An unevaluated sum hi + lo with |lo| <= ulp(hi)/2.
#pragma once

namespace plusmax::reference {

struct DoubleDouble {
  double hi = 0, lo = 0;
};

}  // namespace plusmax::reference
