// Atomics, fences and the options and counters of the machine.
#include "kernels/platform/host/machine.hpp"
#include "kernels/platform/host/race/hooks.hpp"

#include <cstring>

namespace plusmax::simt {

Options machine_options;
Stats machine_stats;

std::uint64_t atomic_look(const volatile void* address, std::size_t bytes, Access access, Order order) {
  const void* code = __builtin_return_address(0);
  if (!in_kernel()) fail("atomic access outside a kernel");
  const void* place = const_cast<const void*>(address);
  check_aligned(place, bytes);
  yield();  // a natural place to be overtaken
  race_atomic(address, bytes, access, order, code);
  if (access != Access::load) machine.idle_pauses = 0;
  std::uint64_t bits = 0;
  std::memcpy(&bits, place, bytes);
  return bits;
}

void atomic_put(volatile void* address, std::size_t bytes, std::uint64_t bits) {
  std::memcpy(const_cast<void*>(address), &bits, bytes);
}

void fence() {
  if (!in_kernel()) fail("__threadfence outside a kernel");
  race_fence();
}

void grid_dependency_wait() {
  if (!in_kernel()) fail("grid_dependency_wait outside a kernel");
  race_grid_dependency_wait();
}

float add_noise(float y, float x, float relative) {
  std::uint32_t hash;
  std::memcpy(&hash, &x, sizeof hash);
  hash = (hash ^ std::uint32_t(options().seed)) * 0x9E3779B1u;
  hash = (hash ^ (hash >> 15)) * 0x85EBCA77u;
  hash ^= hash >> 13;
  return float(y * (1 + double(relative) * options().approx_noise * (std::int32_t(hash) * 0x1p-31)));
}

}  // namespace plusmax::simt
