// Time on the machine that runs the kernels: our own ceilings, and a stopwatch for launches.
#pragma once

#include "kernels/status.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace plusmax {

// What a ceiling kernel does with its bytes: reads them; reads them and writes as many elsewhere; reads them and writes
// them back in place.
enum class Traffic { read, copy, in_place_copy };

struct BenchOptions {
  int buffers = 1;  // `launch` may be called with buffer 0 to buffers - 1, which hold equal work at different addresses
  bool cold = false;    // flush the caches before every sample: then one launch is one sample
  bool loaded = false;  // start every sample, one launch, right behind matrix products that hold the clock down
  // For launches that overwrite what they read: a sample launches a buffer once, after restore() of it and on flushed
  // caches.
  bool fresh = false;
  // May be null: nothing to bring back. A ceiling's buffers need none; it is timed behind the restoring of others.
  std::function<Status(void* stream, int buffer)> restore = nullptr;
  int samples = 21;
  double max_seconds = 2;  // stops early, with at least three samples
};

struct BenchSamples {
  std::vector<double> us;  // of one launch, in the order taken
  int launches_per_sample = 1;
  const char* method = "";  // "events", "graph" or "steady_clock"
};

// Launches that are compared with each other: each once a round, in an order drawn anew for every round.
struct RoundOptions {
  int rounds = 15;
  double rest_seconds = 0;  // before every launch, so that the clock recovers; 0: one right behind the other
  double warm_seconds = 1;  // of launches before the first round, which bring the clock to where it stays
  double max_seconds = 30;  // stops early, with at least three rounds
};

class Bench {
 public:
  virtual ~Bench() = default;
  // Samples of `launch(stream, buffer)`, which starts the work of one call on that buffer. Throws DeviceError with the
  // launch's own message if it refuses or the device fails, or if the backend has no matrix products to load it with.
  virtual BenchSamples time(const std::function<Status(void* stream, int buffer)>& launch, const BenchOptions&) = 0;
  // The same for our own kernel that moves `bytes` bytes of logits in this way, on buffers of its own that hold the
  // same as `logits`, in device memory: constants move faster than data. Short ones rotate over enough buffers to
  // defeat the caches. The best of a few launch shapes, by median.
  virtual BenchSamples ceiling(Traffic, const void* logits, std::size_t bytes, const BenchOptions&) = 0;
  // Microseconds of each launch, [launches][rounds]: what shares a round shares the clock. Throws as time() does.
  virtual std::vector<std::vector<double>> rounds(const std::vector<std::function<Status(void* stream)>>& launches,
                                                  const RoundOptions&) = 0;
  // From device memory to device memory, in the stream's order.
  virtual Status copy(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  // The first byte that differs, once everything on the device's stream is done; `bytes` if none does.
  virtual std::size_t first_difference(const void* a, const void* b, std::size_t bytes) = 0;
};

// Bytes that a ceiling of `bytes` moves: twice as many where it writes.
constexpr double traffic_bytes(Traffic traffic, std::size_t bytes) {
  return static_cast<double>(bytes) * (traffic == Traffic::read ? 1 : 2);
}

}  // namespace plusmax
