#include "kernels/bench/samples.hpp"
#include "kernels/platform/backend.hpp"
#include "kernels/platform/cuda/bytes.cuh"
#include "kernels/platform/cuda/call.hpp"
#include "kernels/platform/cuda/ceilings.cuh"
#include "kernels/platform/cuda/stopwatch.hpp"

namespace plusmax {
namespace cuda {
namespace {

// Buffers of one ceiling together: several times the L2 of today's GPUs (60 MB on an H200).
constexpr std::size_t kRotatedBytes = std::size_t{512} << 20;

struct Memory {
  explicit Memory(std::size_t bytes) { PLUSMAX_CUDA(cudaMalloc(&data, bytes)); }
  ~Memory() { cudaFree(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  unsigned char* data = nullptr;
};

class CudaBench final : public Bench {
 public:
  BenchSamples time(const Launch& launch, const BenchOptions& options) override {
    return stopwatch().time(launch, options);
  }

  std::vector<std::vector<double>> rounds(const std::vector<RoundLaunch>& launches,
                                          const RoundOptions& options) override {
    return stopwatch().rounds(launches, options);
  }

  Status copy(void* to, const void* from, std::size_t bytes, void* stream) override {
    const cudaError_t error =
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream));
    if (error == cudaSuccess) return {};
    return Status::error(PLUSMAX_DEVICE_ERROR, "copy of %zu bytes: %s", bytes, cudaGetErrorString(error));
  }

  std::size_t first_difference(const void* a, const void* b, std::size_t bytes) override {
    const Memory first(sizeof(unsigned long long));
    auto* stream = static_cast<cudaStream_t>(backend_device()->stream());
    auto* found = reinterpret_cast<unsigned long long*>(first.data);
    unsigned long long answer = kAllMatch;
    PLUSMAX_CUDA(cudaMemcpyAsync(found, &answer, sizeof answer, cudaMemcpyHostToDevice, stream));
    find_difference(a, b, bytes, found, stream);
    PLUSMAX_CUDA(cudaMemcpyAsync(&answer, found, sizeof answer, cudaMemcpyDeviceToHost, stream));
    PLUSMAX_CUDA(cudaStreamSynchronize(stream));
    return answer == kAllMatch ? bytes : static_cast<std::size_t>(answer);
  }

  BenchSamples ceiling(Traffic traffic, const void* logits, std::size_t bytes, const BenchOptions& given) override {
    const std::size_t step = (bytes + 255) / 256 * 256;
    BenchOptions options = given;
    options.buffers = static_cast<int>(std::max<std::size_t>(1, kRotatedBytes / std::max<std::size_t>(step, 1)));
    options.buffers = std::min(options.buffers, 512);
    const std::size_t all = step * static_cast<std::size_t>(options.buffers);
    const Memory from(all + 256), to(traffic == Traffic::copy ? all : 256);
    auto* stream = static_cast<cudaStream_t>(backend_device()->stream());
    for (std::size_t at = 0; at < all; at += step)
      PLUSMAX_CUDA(cudaMemcpyAsync(from.data + at, logits, bytes, cudaMemcpyDeviceToDevice, stream));
    if (traffic == Traffic::copy) cuda::fill({to.data, 1, all, all}, 0x3d, stream);

    BenchSamples best;
    for (int shape = 0; shape < ceiling_shapes(traffic); ++shape) {
      const auto launch = [&](void* on, int buffer) {
        unsigned char* source = from.data + step * static_cast<std::size_t>(buffer);
        unsigned char* target = traffic == Traffic::copy ? to.data + step * static_cast<std::size_t>(buffer) : source;
        return launch_ceiling(traffic, shape, source, target, bytes, reinterpret_cast<unsigned*>(from.data + all), on);
      };
      BenchSamples samples = stopwatch().time(launch, options);
      if (best.us.empty() || median(samples.us) < median(best.us)) best = std::move(samples);
    }
    return best;
  }

 private:
  Stopwatch& stopwatch() {
    if (stopwatch_ == nullptr)
      stopwatch_ = std::make_unique<Stopwatch>(static_cast<cudaStream_t>(backend_device()->stream()));
    return *stopwatch_;
  }
  std::unique_ptr<Stopwatch> stopwatch_;
};

}  // namespace
}  // namespace cuda

Bench* backend_bench() {
  // Never destroyed: the runtime may be gone before static objects are.
  static auto* bench = new cuda::CudaBench;
  return bench;
}

}  // namespace plusmax
