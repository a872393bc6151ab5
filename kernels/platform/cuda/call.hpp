// CUDA runtime calls of the harness's side: an error becomes a DeviceError with the place and the text of the call.
#pragma once

#include "kernels/platform/device.hpp"

#include <cuda_runtime.h>

namespace plusmax::cuda {

// Throws DeviceError for anything but cudaSuccess. Takes the error off the runtime first; if it stays, says that this
// process can use the device no more.
void check(cudaError_t error, const char* file, int line, const char* text);

// Whether a device answers. Asked once; without a driver the answer is no.
bool device_answers();

}  // namespace plusmax::cuda

#define PLUSMAX_CUDA(call) ::plusmax::cuda::check((call), __FILE__, __LINE__, #call)
