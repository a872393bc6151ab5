// Its case lines can be written and read; what launches it is not in this version.
#include "properties/operation.hpp"
#include "properties/ops/cross_entropy/options.hpp"

namespace plusmax::properties::operations {

extern const Operation cross_entropy;
const Operation cross_entropy = {.name = "cross_entropy",
                                 .keys = properties::cross_entropy::keys,
                                 .canonical = properties::cross_entropy::canonical,
                                 .draw = properties::cross_entropy::draw};

}  // namespace plusmax::properties::operations
