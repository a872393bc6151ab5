// The harness's view of the machine that runs the kernels: memory with guards, a stream, a schedule.
// platform/host and platform/cuda implement it; kernels themselves never see it.
#pragma once

#include "kernels/status.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace plusmax {

// A kernel did something that the device forbids: out of bounds, a race, divergence, a launch failure.
// what() names the buffer, the offset and, on the host, the source line.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Owned memory is `lines` pieces of `line_bytes`, `line_stride` bytes apart; the first begins `phase` bytes after a
// 256-byte boundary. What lies between, before and behind is guard: the host maps no whole page of it.
struct BufferSpec {
  const char* name = "buffer";
  std::size_t lines = 1, line_bytes = 0, line_stride = 0;
  std::size_t phase = 0;
  bool flush_left = false;  // the host puts the start, not the end, against an unmapped page
  bool read_only = false;   // a store to it is an error
};

class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual void* data() const = 0;  // device address of line 0
  // `offset` and `bytes` stay within one line; offset counts from data().
  virtual void write(std::size_t offset, const void* from, std::size_t bytes) = 0;
  virtual void read(std::size_t offset, void* to, std::size_t bytes) const = 0;
  // Sets every byte of every line.
  virtual void fill(unsigned char byte) = 0;
  // Makes a read_only buffer read-only from here on (no-op otherwise); write() and fill() lift it for their own duration.
  virtual void seal() = 0;
  // Empty if nothing outside the lines was written, else one sentence with the byte offset.
  virtual std::string violation() const = 0;
};

enum class Schedule { forward, reverse, random };

class Device {
 public:
  virtual ~Device() = default;
  virtual const char* backend() const = 0;   // "host" or "cuda"
  virtual std::string description() const = 0;  // "NVIDIA H200, driver 580.159, sm_90" or "host SIMT, x86-64"
  virtual bool available() const = 0;        // false: no device answers
  virtual bool detects_races() const = 0;    // kernels of this build are race-instrumented
  virtual std::unique_ptr<DeviceBuffer> allocate(const BufferSpec&) = 0;  // throws std::bad_alloc with no memory
  // Order in which the host runs threads and blocks, and the noise it adds to approximate functions (1 = their
  // documented bound). A GPU schedules by itself and ignores both.
  virtual void configure(Schedule, std::uint64_t seed, float approx_noise) = 0;
  virtual void* stream() = 0;
  virtual void synchronize() = 0;  // throws DeviceError for anything the launches since the last call did
  virtual std::size_t free_bytes() const = 0;
  // What `start` launches on stream(), `times` times over: captured in a CUDA graph and run from it; the host, which has
  // no graphs, starts it as often. Throws DeviceError for what cannot be captured.
  virtual Status run_captured(const std::function<Status()>& start, int times) {
    Status status;
    for (int i = 0; i < times && status.ok(); ++i) status = start();
    return status;
  }
};

}  // namespace plusmax
