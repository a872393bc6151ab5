#include "kernels/platform/cuda/call.hpp"

#include <cstring>

namespace plusmax::cuda {

void check(cudaError_t error, const char* file, int line, const char* text) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  const bool lost = cudaDeviceSynchronize() != cudaSuccess;  // an error that survives being taken has ended the context
  cudaGetLastError();
  const char* name = std::strrchr(file, '/');
  std::string message = std::string(name ? name + 1 : file) + ":" + std::to_string(line) + ": " + text + ": " +
                        cudaGetErrorName(error) + ", " + cudaGetErrorString(error);
  if (lost) message += "; the device is lost to this process: start it again";
  throw DeviceError(message);
}

bool device_answers() {
  static const bool answers = [] {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices > 0 && cudaFree(nullptr) == cudaSuccess) return true;
    cudaGetLastError();
    return false;
  }();
  return answers;
}

}  // namespace plusmax::cuda
