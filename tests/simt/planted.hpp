// Helpers of the tests of the host machine: arrays on the device, and the fault that a launch leaves behind.
#pragma once

#include "kernels/platform/host/device.hpp"
#include "kernels/platform/host/runtime.hpp"
#include "kernels/platform/launch.hpp"
#include "tests/catch.hpp"

#include <cstddef>
#include <memory>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define PLUSMAX_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLUSMAX_TEST_ASAN 1
#endif
#endif
#if !defined(PLUSMAX_TEST_ASAN)
#define PLUSMAX_TEST_ASAN 0
#endif

namespace plusmax::planted {

// `count` elements in one line, zeroed.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count, const char* name = "array", std::size_t phase = 0, bool flush_left = false)
      : Array(BufferSpec{name, 1, count * sizeof(T), count * sizeof(T), phase, flush_left, false}) {}
  explicit Array(const BufferSpec& spec) : buffer_(host_device().allocate(spec)) { buffer_->fill(0); }
  T* get() const { return static_cast<T*>(buffer_->data()); }
  T& operator[](std::size_t i) const { return get()[i]; }
  DeviceBuffer& buffer() const { return *buffer_; }

 private:
  std::unique_ptr<DeviceBuffer> buffer_;
};

// What the launches inside `work` did wrong, as the device reports it: "" if nothing. A refused launch answers
// "refused: ...". Under ASan the work runs in a child process, whose death is reported by what it printed.
std::string fault_of(void (*work)(void*), void* argument);
template <class Work>
std::string fault_of(Work&& work) {
  return fault_of([](void* raw) { (*static_cast<std::remove_reference_t<Work>*>(raw))(); }, &work);
}

// Throws what a refused launch answered.
void must_start(const Status&);

// Contains `words`, or one of "these|words"; or is a report of ASan or UBSan where these are built in.
bool names(const std::string& fault, const std::string& words);

// forward, reverse, and `seeds` random schedules
template <class Work>
void under_all_schedules(unsigned seeds, Work&& work) {
  for (Schedule schedule : {Schedule::forward, Schedule::reverse}) {
    host_device().configure(schedule, 0, 0.f);
    work();
  }
  for (unsigned seed = 0; seed < seeds; ++seed) {
    host_device().configure(Schedule::random, seed, 0.f);
    work();
  }
  host_device().configure(Schedule::forward, 0, 0.f);
}

// The fault of `work` under every schedule contains `words`.
template <class Work>
void always_faults(const std::string& words, Work&& work) {
  under_all_schedules(PLUSMAX_TEST_ASAN ? 2 : 10, [&] {
    const std::string fault = fault_of(work);
    INFO("fault: " << fault);
    CHECK(names(fault, words));
  });
}
template <class Work>
void never_faults(Work&& work) {
  under_all_schedules(50, [&] { REQUIRE(fault_of(work) == ""); });
}

}  // namespace plusmax::planted
