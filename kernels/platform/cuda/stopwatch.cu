#include "kernels/platform/cuda/stopwatch.hpp"

#include "kernels/bench/samples.hpp"
#include "kernels/platform/cuda/call.hpp"
#include "kernels/platform/cuda/ceilings.cuh"

#include <chrono>
#include <thread>

namespace plusmax::cuda {
namespace {

// A launch shorter than this is timed by the graph: an event pair costs 2 to 3 us.
constexpr double kShortUs = 100;
constexpr double kGraphUs = 2000;  // work in one graph
constexpr int kMaxGraphLaunches = 2048;
constexpr int kProductsToPowerLimit = 600;  // about a second
constexpr int kProductsBeforeSample = 8;    // about 11 ms, so that the sample is a small part of the load
// Flushing reads: a memset would leave dirty lines whose eviction falls into the sample.
constexpr std::size_t kFlushBytes = std::size_t{256} << 20;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ~Graph() {
    if (exec != nullptr) cudaGraphExecDestroy(exec);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
};

}  // namespace

Stopwatch::Event::Event() { PLUSMAX_CUDA(cudaEventCreate(&handle)); }
Stopwatch::Event::~Event() { cudaEventDestroy(handle); }

Stopwatch::Stopwatch(cudaStream_t stream) : stream_(stream) {}

void Stopwatch::launch(const Launch& start, int buffer) {
  const Status status = start(stream_, buffer);
  if (!status.ok()) throw DeviceError(status.message);
}

double Stopwatch::elapsed_us() {
  float milliseconds = 0;
  PLUSMAX_CUDA(cudaEventSynchronize(end_.handle));
  PLUSMAX_CUDA(cudaEventElapsedTime(&milliseconds, begin_.handle, end_.handle));
  return static_cast<double>(milliseconds) * 1e3;
}

void Stopwatch::prepare(const BenchOptions& options, int first, int count) {
  if (!options.fresh) return;
  for (int buffer = first; options.restore && buffer < first + count; ++buffer) launch(options.restore, buffer);
  if (!options.loaded) flush();
}

double Stopwatch::time_once(const Launch& start, const BenchOptions& options, int buffer) {
  prepare(options, buffer, 1);
  PLUSMAX_CUDA(cudaEventRecord(begin_.handle, stream_));
  launch(start, buffer);
  PLUSMAX_CUDA(cudaEventRecord(end_.handle, stream_));
  return elapsed_us();
}

void Stopwatch::flush() {
  if (flushed_ == nullptr) {
    void* memory = nullptr;
    PLUSMAX_CUDA(cudaMalloc(&memory, kFlushBytes + 16));
    flushed_ = std::shared_ptr<void>(memory, [](void* p) { cudaFree(p); });
    PLUSMAX_CUDA(cudaMemsetAsync(memory, 1, kFlushBytes + 16, stream_));
  }
  auto* sink = reinterpret_cast<unsigned*>(static_cast<char*>(flushed_.get()) + kFlushBytes);
  const Status status = launch_ceiling(Traffic::read, 0, flushed_.get(), nullptr, kFlushBytes, sink, stream_);
  if (!status.ok()) throw DeviceError(status.message);
}

BenchSamples Stopwatch::time(const Launch& start, const BenchOptions& options) {
  prepare(options, 0, 1);
  launch(start, 0);  // module load, first touch
  PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  if (options.loaded) return behind_products(start, options);
  const int last = std::max(options.buffers, 1) - 1;
  const double us = std::min(time_once(start, options, 0), time_once(start, options, last));
  return !options.cold && us < kShortUs ? by_graph(start, options, us) : by_events(start, options, us);
}

BenchSamples Stopwatch::by_events(const Launch& start, const BenchOptions& options, double us) {
  BenchSamples samples;
  samples.method = "events";
  const int buffers = std::max(options.buffers, 1);
  if (!options.cold)
    for (double warm = 0; warm < 20e3 && warm < options.max_seconds * 1e5; warm += std::max(us, 1.0)) launch(start, 0);
  const Clock::time_point begin = Clock::now();
  for (int i = 0; !enough_samples(samples.us.size(), seconds_since(begin), options); ++i) {
    if (options.cold) flush();
    samples.us.push_back(time_once(start, options, i % buffers));
  }
  return samples;
}

// The device is never idle between samples: a pause would let the clock recover.
BenchSamples Stopwatch::behind_products(const Launch& start, const BenchOptions& options) {
  if (products_ == nullptr) {
    products_ = std::make_unique<Products>(stream_);
    products_->enqueue(kProductsToPowerLimit);
  }
  BenchSamples samples;
  samples.method = "events";
  const int buffers = std::max(options.buffers, 1), count = std::max(options.samples, kLeastSamples);
  const std::vector<Event> begins(static_cast<std::size_t>(count)), ends(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    prepare(options, i % buffers, 1);
    products_->enqueue(kProductsBeforeSample);
    PLUSMAX_CUDA(cudaEventRecord(begins[static_cast<std::size_t>(i)].handle, stream_));
    launch(start, i % buffers);
    PLUSMAX_CUDA(cudaEventRecord(ends[static_cast<std::size_t>(i)].handle, stream_));
  }
  PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  for (std::size_t i = 0; i < begins.size(); ++i) {
    float milliseconds = 0;
    PLUSMAX_CUDA(cudaEventElapsedTime(&milliseconds, begins[i].handle, ends[i].handle));
    samples.us.push_back(static_cast<double>(milliseconds) * 1e3);
  }
  return samples;
}

// Without a rest the device waits only between rounds, for as long as the host takes to start the next one.
std::vector<std::vector<double>> Stopwatch::rounds(const std::vector<RoundLaunch>& launches,
                                                   const RoundOptions& options) {
  const std::size_t count = launches.size();
  const auto run = [&](std::size_t i) {
    const Status status = launches[i](stream_);
    if (!status.ok()) throw DeviceError(status.message);
  };
  const Clock::time_point warm = Clock::now();
  do {
    for (std::size_t i = 0; i < count; ++i) run(i);
    PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  } while (seconds_since(warm) < options.warm_seconds);

  const std::vector<Event> begins(count), ends(count);
  std::vector<std::vector<double>> us(count);
  RoundOrder order(count);
  const Clock::time_point begin = Clock::now();
  while (count > 0 && !enough_rounds(us[0].size(), seconds_since(begin), options)) {
    for (const std::size_t i : order.next()) {
      if (options.rest_seconds > 0) {
        PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
        std::this_thread::sleep_for(std::chrono::duration<double>(options.rest_seconds));
      }
      PLUSMAX_CUDA(cudaEventRecord(begins[i].handle, stream_));
      run(i);
      PLUSMAX_CUDA(cudaEventRecord(ends[i].handle, stream_));
    }
    PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
    for (std::size_t i = 0; i < count; ++i) {
      float milliseconds = 0;
      PLUSMAX_CUDA(cudaEventElapsedTime(&milliseconds, begins[i].handle, ends[i].handle));
      us[i].push_back(static_cast<double>(milliseconds) * 1e3);
    }
  }
  return us;
}

BenchSamples Stopwatch::by_graph(const Launch& start, const BenchOptions& options, double us) {
  const int buffers = std::max(options.buffers, 1);
  const int rounds = static_cast<int>(kGraphUs / (std::max(us, 1.0) * buffers)) + 1;
  const int launches = options.fresh ? buffers : std::min(rounds * buffers, std::max(kMaxGraphLaunches, buffers));
  Graph graph;
  PLUSMAX_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  try {
    for (int i = 0; i < launches; ++i) launch(start, i % buffers);
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph.graph);
    cudaGetLastError();
    throw;
  }
  PLUSMAX_CUDA(cudaStreamEndCapture(stream_, &graph.graph));
  PLUSMAX_CUDA(cudaGraphInstantiate(&graph.exec, graph.graph, 0));

  BenchSamples samples;
  samples.method = "graph";
  samples.launches_per_sample = launches;
  for (int warm = 0; warm < 5; ++warm) {
    prepare(options, 0, buffers);
    PLUSMAX_CUDA(cudaGraphLaunch(graph.exec, stream_));
  }
  const Clock::time_point begin = Clock::now();
  while (!enough_samples(samples.us.size(), seconds_since(begin), options)) {
    prepare(options, 0, buffers);
    PLUSMAX_CUDA(cudaEventRecord(begin_.handle, stream_));
    PLUSMAX_CUDA(cudaGraphLaunch(graph.exec, stream_));
    PLUSMAX_CUDA(cudaEventRecord(end_.handle, stream_));
    samples.us.push_back(elapsed_us() / launches);
  }
  return samples;
}

}  // namespace plusmax::cuda
