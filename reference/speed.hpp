// What the reference costs on this machine.
#pragma once

#include "reference/logsumexp.hpp"

namespace plusmax::reference {

struct ReferenceSpeed {
  double elements_per_second;              // double-double, a row of 128256 f32 logits, one thread, the best of several
  double oracle_loop_elements_per_second;  // the plain cpp_bin_float_50 loop over a short row
  Tier tier;
};
ReferenceSpeed measure_reference_speed();  // about a tenth of a second

}  // namespace plusmax::reference
