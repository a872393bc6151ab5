// The clean ring on a GPU: what the host machine calls right, right there, too.
#include "tests/simt/ring.cuh"

#include <cstdio>
#include <vector>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

constexpr int kRows = 4001, kClusters = 60;
constexpr std::size_t kCount = std::size_t(kRows) * kRingCols;

std::size_t wrong_results(const std::vector<float>& before, const std::vector<float>& after) {
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    const float* in = before.data() + row * kRingCols;
    float maximum = -1e30f, sum = 0;
    for (int j = 0; j < kRingCols; ++j) {
      maximum = in[j] > maximum ? in[j] : maximum;
      sum += in[j];
    }
    for (std::size_t j = 0; j < kRingCols; ++j)
      wrong += after[row * kRingCols + j] != (in[j] - maximum) * float(row % 5 + 1) + sum;
  }
  return wrong;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 || !platform::has_programmatic_launch()) {
    std::puts("skipped: no GPU from sm_90");
    return 77;
  }
  std::vector<float> before(kCount), after(kCount), weight(kRows);
  for (std::size_t i = 0; i < kCount; ++i) before[i] = float(i * 7 % 31);
  for (std::size_t row = 0; row < kRows; ++row) weight[row] = float(row % 5 + 1);
  float *x = nullptr, *weights = nullptr;
  if (cudaMalloc(&x, kCount * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&weights, kRows * sizeof(float)) != cudaSuccess)
    return 1;
  cudaMemcpy(weights, weight.data(), kRows * sizeof(float), cudaMemcpyHostToDevice);
  int failed = 0;
  for (Exchange exchange : {Exchange::send, Exchange::fetch})
    for (Result result : {Result::direct, Result::staged})
      for (unsigned threads : {64u, 96u, 160u}) {
        cudaMemcpy(x, before.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
        const Status started = launch_ring({Fault::nothing, exchange, result, x, weights, kRows}, kClusters, threads);
        const cudaError_t error = cudaDeviceSynchronize();
        cudaMemcpy(after.data(), x, kCount * sizeof(float), cudaMemcpyDeviceToHost);
        const std::size_t wrong = wrong_results(before, after);
        std::printf("exchange %d result %d threads %u: %zu of %zu wrong, %s, %s\n", int(exchange), int(result), threads,
                    wrong, kCount, started.ok() ? "started" : started.message, cudaGetErrorString(error));
        failed += wrong != 0 || error != cudaSuccess || !started.ok();
      }
  return failed != 0;
}
