#include "kernels/platform/backend.hpp"

#include "kernels/platform/host/device.hpp"

namespace plusmax {

Device* backend_device() { return &host_device(); }

}  // namespace plusmax
