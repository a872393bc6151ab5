#include "kernels/platform/host/device.hpp"

#include "kernels/platform/host/buffer.hpp"
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/runtime.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace plusmax {
namespace {

class HostDevice final : public Device {
 public:
  const char* backend() const override { return "host"; }
  std::string description() const override {
#if defined(__x86_64__)
    return "host SIMT, x86-64";
#else
    return "host SIMT, AArch64";
#endif
  }
  bool available() const override { return true; }
  bool detects_races() const override { return simt::kDetectsRaces; }
  std::unique_ptr<DeviceBuffer> allocate(const BufferSpec& spec) override {
    return std::make_unique<simt::HostBuffer>(spec);
  }
  void configure(Schedule schedule, std::uint64_t seed, float approx_noise) override {
    simt::Options& options = simt::options();
    options.policy = schedule == Schedule::forward   ? simt::Policy::forward
                     : schedule == Schedule::reverse ? simt::Policy::reverse
                                                     : simt::Policy::random;
    options.seed = seed;
    options.approx_noise = approx_noise;
  }
  void* stream() override { return nullptr; }
  void synchronize() override {
    const char* fault = simt::take_fault();
    if (*fault) throw DeviceError(fault);
  }
  std::size_t free_bytes() const override {
    // What the system would make room for; sysconf's free pages leave out the cache of files.
    std::ifstream facts("/proc/meminfo");
    for (std::string name, unit; facts >> name;) {
      std::size_t kibibytes = 0;
      if (!(facts >> kibibytes)) break;
      std::getline(facts, unit);
      if (name == "MemAvailable:") return kibibytes * 1024;
    }
    const long pages = sysconf(_SC_AVPHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? std::size_t(pages) * std::size_t(bytes) : 0;
  }
};

}  // namespace

Device& host_device() {
  static HostDevice device;
  return device;
}

}  // namespace plusmax
