// Time of launches on a stream: by events, or by a graph of many launches where one is too short for events.
#pragma once

#include "kernels/platform/bench.hpp"
#include "kernels/platform/cuda/products.hpp"

#include <cuda_runtime.h>

#include <memory>

namespace plusmax::cuda {

using Launch = std::function<Status(void* stream, int buffer)>;
using RoundLaunch = std::function<Status(void* stream)>;

class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t);
  BenchSamples time(const Launch&, const BenchOptions&);
  std::vector<std::vector<double>> rounds(const std::vector<RoundLaunch>&, const RoundOptions&);

 private:
  struct Event {
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    cudaEvent_t handle = nullptr;
  };
  void launch(const Launch&, int buffer);
  double elapsed_us();
  double time_once(const Launch&, const BenchOptions&, int buffer);
  void prepare(const BenchOptions&, int first, int count);  // buffers for a fresh sample
  BenchSamples by_events(const Launch&, const BenchOptions&, double us);
  BenchSamples by_graph(const Launch&, const BenchOptions&, double us);
  BenchSamples behind_products(const Launch&, const BenchOptions&);
  void flush();

  cudaStream_t stream_;
  Event begin_, end_;
  std::unique_ptr<Products> products_;
  std::shared_ptr<void> flushed_;  // device memory, larger than any L2
};

}  // namespace plusmax::cuda
