// The host's stopwatch and its ceilings, plain loops over memory. They say what this machine's memory allows; the
// kernels run on fibers here, so their times say nothing about a GPU.
#include "kernels/bench/samples.hpp"
#include "kernels/platform/backend.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

namespace plusmax {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Larger than any last-level cache of today's machines.
constexpr std::size_t kFlushBytes = std::size_t{256} << 20;

std::uint64_t read_words(const std::vector<std::uint64_t>& words) {
  std::uint64_t folded[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= words.size(); i += 4)
    for (int k = 0; k < 4; ++k) folded[k] ^= words[i + static_cast<std::size_t>(k)];
  for (; i < words.size(); ++i) folded[0] ^= words[i];
  return folded[0] ^ folded[1] ^ folded[2] ^ folded[3];
}

class HostBench final : public Bench {
 public:
  BenchSamples time(const std::function<Status(void*, int)>& launch, const BenchOptions& options) override {
    const auto run = [&](int index) {
      const Status status = launch(nullptr, index % std::max(options.buffers, 1));
      if (!status.ok()) throw DeviceError(status.message);
      backend_device()->synchronize();
    };
    return sample(run, options);
  }

  std::vector<std::vector<double>> rounds(const std::vector<std::function<Status(void*)>>& launches,
                                          const RoundOptions& options) override {
    const auto run = [&](std::size_t i) {
      const Clock::time_point begin = Clock::now();
      const Status status = launches[i](nullptr);
      if (!status.ok()) throw DeviceError(status.message);
      backend_device()->synchronize();
      return microseconds_since(begin);
    };
    for (std::size_t i = 0; i < launches.size(); ++i) run(i);  // page faults, first use: no clock falls here
    std::vector<std::vector<double>> us(launches.size());
    RoundOrder order(launches.size());
    const Clock::time_point start = Clock::now();
    while (!us.empty() && !enough_rounds(us[0].size(), microseconds_since(start) * 1e-6, options))
      for (const std::size_t i : order.next()) {
        std::this_thread::sleep_for(std::chrono::duration<double>(options.rest_seconds));
        us[i].push_back(run(i));
      }
    return us;
  }

  Status copy(void* to, const void* from, std::size_t bytes, void*) override {
    std::memcpy(to, from, bytes);
    return {};
  }

  std::size_t first_difference(const void* a, const void* b, std::size_t bytes) override {
    backend_device()->synchronize();
    const auto* begin = static_cast<const unsigned char*>(a);
    return static_cast<std::size_t>(std::mismatch(begin, begin + bytes, static_cast<const unsigned char*>(b)).first -
                                    begin);
  }

  BenchSamples ceiling(Traffic traffic, const void* logits, std::size_t bytes, const BenchOptions& options) override {
    std::vector<std::uint64_t> from(bytes / sizeof(std::uint64_t) + 1, 0),
        to(traffic == Traffic::copy ? from.size() : 0);
    std::memcpy(from.data(), logits, bytes);
    const auto run = [&](int index) {
      switch (traffic) {
        case Traffic::read:
          sink_ = sink_ ^ read_words(from);
          break;
        case Traffic::copy:
          std::memcpy(to.data(), from.data(), bytes);
          break;
        case Traffic::in_place_copy:
          for (std::uint64_t& word : from) word ^= static_cast<std::uint64_t>(index) + 1;
          break;
      }
      sink_ = sink_ ^ from[0];
    };
    return sample(run, options);
  }

 private:
  template <class Run>
  BenchSamples sample(Run&& run, const BenchOptions& options) {
    if (options.loaded) throw DeviceError("no matrix products on the host to load it with");
    BenchSamples samples;
    samples.method = "steady_clock";
    const int buffers = std::max(options.buffers, 1);
    const auto prepare = [&](int index) {
      if (options.restore)
        if (const Status status = options.restore(nullptr, index % buffers); !status.ok())
          throw DeviceError(status.message);
      if (options.cold || options.fresh) flush();
    };
    prepare(0);
    run(0);  // warm-up: page faults, first use
    const Clock::time_point start = Clock::now();
    for (int i = 0; !enough_samples(samples.us.size(), microseconds_since(start) * 1e-6, options); ++i) {
      prepare(i);
      const Clock::time_point begin = Clock::now();
      run(i);
      samples.us.push_back(microseconds_since(begin));
    }
    return samples;
  }

  void flush() {
    if (flush_.empty()) flush_.resize(kFlushBytes / sizeof(std::uint64_t), 1);
    sink_ = sink_ ^ read_words(flush_);
  }

  std::vector<std::uint64_t> flush_;
  volatile std::uint64_t sink_ = 0;  // keeps the reads
};

}  // namespace

Bench* backend_bench() {
  static HostBench bench;
  return &bench;
}

}  // namespace plusmax
