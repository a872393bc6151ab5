// The host machine as a Device.
#pragma once

#include "kernels/platform/device.hpp"

namespace plusmax {

// One in the process; its launches must not overlap in time.
Device& host_device();

}  // namespace plusmax
