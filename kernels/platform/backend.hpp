// The machine of this build, and how its time is measured. One definition per backend: kernels/bench/host or
// kernels/platform/cuda.
#pragma once

#include "kernels/platform/bench.hpp"
#include "kernels/platform/device.hpp"

namespace plusmax {

Device* backend_device();
Bench* backend_bench();

}  // namespace plusmax
