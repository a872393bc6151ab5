// The host machine that runs kernels: each thread is a fiber, the blocks of a cluster are resident together, one fiber
// runs at a time and gives way only at collectives, atomics and pauses. Which one goes on is a seeded policy, so a
// schedule that fails can be run again. One launch at a time in a process; not safe to call from two threads.
#pragma once

#include "kernels/platform/host/language.hpp"
#include "kernels/status.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#pragma GCC visibility push(default)
namespace plusmax::simt {

constexpr unsigned kMaxThreads = 1024, kMaxCluster = 16, kWarpSize = 32;
constexpr std::size_t kMaxShared = 227 * 1024;  // bytes a block, as on sm_90

enum class Policy { forward, reverse, random };

struct Options {
  Policy policy = Policy::forward;
  std::uint64_t seed = 0;
  int sticky = -1;  // random: n/256 is the chance to stay in the same warp and block; -1: drawn from the seed
  bool exited_threads_ok = false;  // true: a barrier waits only for threads that have not exited, as the hardware does
  bool poison_shared = true;       // shared memory starts as NaN (even seeds) or 3.4e38 (odd seeds)
  unsigned preempt_every = 0;      // race build: mean number of accesses between forced switches; 0: none
  float approx_noise = 0.f;        // scale of the error added to ex2 and lg2; 1 is their documented bound
};
extern Options machine_options;
inline Options& options() { return machine_options; }

struct Stats {
  std::uint64_t switches, block_barriers, warp_collectives, cluster_barriers, accesses;
  std::uint64_t trace;  // hash of the order in which threads ran
};
extern Stats machine_stats;
inline Stats& stats() { return machine_stats; }

// What a launch gets; LaunchConfig of platform/launch.hpp without its stream.
struct Grid {
  dim3 grid, block;
  unsigned cluster = 1;
  std::size_t shared_bytes = 0;
  bool programmatic = false;
};
// Runs the whole grid before it returns. A configuration that the device refuses, and any launch while an earlier fault
// is pending, is answered by the status; what a kernel does wrong becomes the pending fault.
Status run(const Grid&, void (*entry)(void*), void* argument);
// Text of the pending fault ("" if none), which it clears.
const char* take_fault();

// Ends the launch with this fault; outside a kernel throws it as DeviceError.
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

// ---- threads ------------------------------------------------------------------------------------
unsigned lane();
unsigned cluster_rank();
unsigned cluster_size();
void pause();  // lets every other thread run; for loops that wait for another thread of the cluster

// ---- collectives --------------------------------------------------------------------------------
enum class WarpOp : std::uint8_t { none, sync, shuffle, ballot, add_u32, min_u32, max_u32, named };
enum class BlockOp : std::uint8_t { sync, count, all, any };
std::uint64_t warp_collective(WarpOp, unsigned mask, std::uint64_t value, unsigned source, const char* file, int line);
int block_barrier(BlockOp, int predicate, const char* file, int line);
void cluster_arrive(const char* file, int line);
void cluster_wait(const char* file, int line);

// ---- memory -------------------------------------------------------------------------------------
// One per declaration of static shared memory; its place in the block's arena is drawn anew in each launch.
struct SharedSite {
  const char* name;
  std::size_t bytes, align;
  std::uint64_t launch = 0;
  std::size_t offset = 0;
};
void* static_shared(SharedSite&);
void* dynamic_shared();
void* map_shared_rank(const void*, unsigned rank);

enum class Order : std::uint8_t { relaxed, acquire, release, acq_rel };
enum class Access : std::uint8_t { load, store, update };
// An atomic access of 4 or 8 bytes in two steps, between which no other thread runs: look, then put.
std::uint64_t atomic_look(const volatile void*, std::size_t bytes, Access, Order);
void atomic_put(volatile void*, std::size_t bytes, std::uint64_t bits);
void fence();                 // __threadfence()
void grid_dependency_wait();  // programmatic launches: the launch before this one is complete and visible
[[noreturn]] void fail_misaligned(const void*, std::size_t bytes);
inline void check_aligned(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) & (bytes - 1)) fail_misaligned(address, bytes);
}

// y (1 + e) with |e| <= relative * options().approx_noise, e a hash of x and the seed
float add_noise(float y, float x, float relative);

}  // namespace plusmax::simt
#pragma GCC visibility pop

// PLUSMAX_HERE as last parameters: the caller's line
#define PLUSMAX_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
