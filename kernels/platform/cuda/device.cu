// The first GPU as a Device.
#include "kernels/platform/backend.hpp"
#include "kernels/platform/cuda/buffer.hpp"
#include "kernels/platform/cuda/call.hpp"

#include <fstream>
#include <sstream>

namespace plusmax {
namespace cuda {
namespace {

// "580.159.04" from the kernel driver's own words, or the CUDA version it supports where it does not say.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  int version = 0;
  cudaDriverGetVersion(&version);
  return "for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class CudaDevice final : public Device {
 public:
  const char* backend() const override { return "cuda"; }
  bool available() const override { return device_answers(); }
  bool detects_races() const override { return false; }
  void configure(Schedule, std::uint64_t, float) override {}

  std::string description() const override {
    if (!available()) return "no CUDA device";
    cudaDeviceProp properties{};
    PLUSMAX_CUDA(cudaGetDeviceProperties(&properties, 0));
    std::ostringstream text;
    text << properties.name << ", driver " << driver_version() << ", sm_" << properties.major << properties.minor;
    return text.str();
  }

  std::unique_ptr<DeviceBuffer> allocate(const BufferSpec& spec) override {
    return std::make_unique<CudaBuffer>(spec, static_cast<cudaStream_t>(stream()));
  }

  void* stream() override {
    if (stream_ == nullptr) PLUSMAX_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    return stream_;
  }

  void synchronize() override { PLUSMAX_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream()))); }

  std::size_t free_bytes() const override {
    std::size_t free = 0, total = 0;
    if (available()) PLUSMAX_CUDA(cudaMemGetInfo(&free, &total));
    return free;
  }

  Status run_captured(const std::function<Status()>& start, int times) override {
    const auto on = static_cast<cudaStream_t>(stream());
    cudaGraph_t graph = nullptr;
    PLUSMAX_CUDA(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    const Status status = start();
    const cudaError_t captured = cudaStreamEndCapture(on, &graph);
    const std::shared_ptr<void> owned(graph, [](void* g) { cudaGraphDestroy(static_cast<cudaGraph_t>(g)); });
    if (!status.ok()) {
      cudaGetLastError();
      return status;
    }
    PLUSMAX_CUDA(captured);
    cudaGraphExec_t executable = nullptr;
    PLUSMAX_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    const std::shared_ptr<void> kept(executable,
                                     [](void* e) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(e)); });
    for (int i = 0; i < times; ++i) PLUSMAX_CUDA(cudaGraphLaunch(executable, on));
    synchronize();
    return {};
  }

 private:
  cudaStream_t stream_ = nullptr;  // lives as long as the process
};

}  // namespace
}  // namespace cuda

Device* backend_device() {
  static cuda::CudaDevice device;
  return &device;
}

}  // namespace plusmax
