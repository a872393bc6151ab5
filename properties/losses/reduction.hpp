// How the losses of rows become one, as the kernels and as the reference name it.
#pragma once

#include "kernels/include/plusmax/types.h"
#include "properties/losses/options.hpp"
#include "reference/cross_entropy_reduction.hpp"

namespace plusmax::properties::losses {

constexpr plusmax_reduction call_reduction(Reduction reduction) {
  return reduction == Reduction::mean  ? PLUSMAX_MEAN
         : reduction == Reduction::sum ? PLUSMAX_SUM
                                       : PLUSMAX_NONE;
}
constexpr reference::Reduction reduction_of(Reduction reduction) {
  return reduction == Reduction::mean  ? reference::Reduction::mean
         : reduction == Reduction::sum ? reference::Reduction::sum
                                       : reference::Reduction::none;
}

}  // namespace plusmax::properties::losses
