// A kernel module: loaded at run time, with everything hidden but its entry points, on the machine of the executable.
#include "kernels/platform/launch.hpp"

namespace {

__global__ void sum_kernel(const float* in, int n, float* out) {
  PLUSMAX_SHARED(float, scratch, 32);
  float sum = 0;
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) sum += in[i];
  for (int d = 16; d; d >>= 1) sum += plusmax::platform::shuffle_xor(sum, d);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) total += scratch[w];
    out[blockIdx.x] = total;
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void module_sum(const float* in, int n, float* out,
                                                                  plusmax::Status* status) {
  *status = plusmax::platform::launch({dim3(2), dim3(128)}, sum_kernel, in, n, out);
}
extern "C" __attribute__((visibility("default"))) const void* module_thread_index() { return &threadIdx; }
