// State of the host machine, shared by the files of the runtime. Kernels never see it.
#pragma once

#include "kernels/platform/host/runtime.hpp"

#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define PLUSMAX_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLUSMAX_ASAN 1
#endif
#endif
#if !defined(PLUSMAX_ASAN)
#define PLUSMAX_ASAN 0
#endif

namespace plusmax::simt {

constexpr unsigned kMaxWarps = kMaxThreads / kWarpSize;

// ready, or what it last waited for; whether it waits still is in the masks of its warp
enum class Wait : std::uint8_t { ready, block, warp, cluster, mbarrier, named, done };

constexpr std::size_t kStackHeadroom = 256;  // zeros above the first frame of a fiber
struct Stack {
  char* base = nullptr;
  std::size_t bytes = 0;
};

struct Block;
struct Warp;

struct Fiber {
  void* context = nullptr;  // where it goes on; null: not started
  Stack stack;
  void* fake_stack = nullptr;  // ASan's
  Block* block = nullptr;
  Warp* warp = nullptr;
  uint3 thread{};
  std::uint16_t linear = 0;  // number in its block
  std::uint8_t lane = 0;
  Wait wait = Wait::done;
  std::uint64_t cluster_generation = 0;  // of the cluster barrier at which it arrived last
  std::uint64_t arrived_at[2] = {};      // the times of its last two arrivals, by generation
  bool has_arrived = false;              // and not waited yet
  const char* file = "";                 // its last collective
  int line = 0;
  const void* awaits = nullptr;  // the mbarrier, where wait is that
};

struct Warp {
  std::uint32_t live = 0, ready = 0, at_block = 0, at_cluster = 0;  // lanes
  std::uint32_t arrived = 0;                                        // lanes that wait at a warp collective
  std::uint32_t group_mask = 0;                                     // the mask all of them named; 0: they differ
  WarpOp group_op = WarpOp::none;
  std::uint32_t mask[kWarpSize];
  WarpOp op[kWarpSize];
  std::uint64_t in[kWarpSize], out[kWarpSize];
  std::uint8_t source[kWarpSize];
  std::uint64_t last_sync = 0;
};

struct Block {
  Warp warp[kMaxWarps];
  std::uint32_t ready_warps = 0;
  unsigned threads = 0, live = 0, arrived = 0, rank = 0;
  BlockOp op = BlockOp::sync;
  int predicate_sum = 0, predicate_result = 0;
  const char* file = "";  // the barrier where threads wait
  int line = 0;
  bool started = false;
  uint3 index{};
  char* shared = nullptr;  // usable part of its arena
  std::size_t filled = 0;  // bytes at its start that were poisoned
  std::uint64_t last_sync = 0;
};

struct Machine {
  Block block[kMaxCluster];
  Fiber fiber[kMaxCluster * kMaxThreads];
  Fiber main_fiber;
  Fiber* current = &main_fiber;
  Fiber* previous = nullptr;
  Stack retired;                                       // of the fiber that has just ended: free once we are off it
  unsigned blocks = 0, live = 0, cluster_arrived = 0;  // of the cluster that runs
  std::uint64_t cluster_generation = 1;
  std::uint32_t ready_blocks = 0;
  unsigned in_flight = 0;  // copies that have not landed
  // The clock moves whenever something orders memory; an access is stamped with the time it was made at.
  std::uint64_t now = 1, cluster_last_sync = 0, cluster_prior_sync = 0, cluster_start = 0;
  std::uint64_t launch_start = 0, previous_launch = 0;
  std::uint64_t launch_id = 0, random = 0, idle_pauses = 0;
  unsigned stay_block = 0, stay_warp = 0;  // of 256: chance to go on in the same block, in the same warp
  Grid grid;
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;
  std::size_t static_bytes = 0, dynamic_offset = 0;
  bool failed = false;
  std::string error;    // of the launch that runs
  std::string pending;  // for the next Device::synchronize()
};
extern Machine machine;

inline bool in_kernel() { return machine.current && machine.current != &machine.main_fiber; }
inline unsigned warps_of(const Block& block) { return (block.threads + kWarpSize - 1) / kWarpSize; }
inline unsigned fiber_index(const Fiber* fiber) { return unsigned(fiber - machine.fiber); }

// fiber.cpp
void prepare(Fiber*);  // gives it a stack and a context that begins the kernel
void give_back_retired();
void abandon_fibers();  // after a fault: gives back the stacks of all that had started

// scheduler.cpp
std::uint64_t next_random();
std::uint64_t mix_random(std::uint64_t state);  // splitmix64's answer
void make_ready(Warp*, Block*, std::uint32_t lanes);
Fiber* pick_anywhere();  // who goes on, landing copies first; null: nobody can
void reschedule();       // another thread may go on; the caller stays ready
void yield();            // as reschedule(), under the random policy only
void start_schedule();   // draws the launch's stickiness from the seed

// deadlock.cpp
void describe_deadlock();

// collectives.cpp
void fiber_exits(Fiber*);  // completes or breaks what others wait for

// in_flight.cpp
void land_something();  // while nobody can go on, and now and then
void land_one();
void begin_launch_in_flight();
void begin_cluster_in_flight();
void end_block_in_flight(const Block&);  // fails if something has yet to land there

// mbarrier.cpp
void begin_cluster_mbarriers();
void end_block_mbarriers(const Block&);  // fails if bytes landed that nobody waited for
std::string describe_mbarrier(const void*);

// bulk.cpp
void begin_cluster_bulk();
void end_thread_bulk(const Fiber*);  // fails if it has bulk stores that may still read

// named_barrier.cpp
// The warp's last lane is there: counts it, and answers the barrier's turn that the warp waits for.
std::uint64_t arrive_warp(Block&, unsigned warp, std::uint64_t packed, const char* file, int line);
void begin_cluster_named();
void end_block_named(const Block&);  // fails if a warp has come and the rest never will

// shared_memory.cpp
void begin_launch_shared();
void begin_cluster_shared(unsigned rank, bool accessible);
void begin_block_shared(Block*);  // by its first thread
void end_block_shared(Block*);    // by its last thread
// Describes an address inside the arenas; false: it is not there.
bool describe_shared(const char* address, char* text, std::size_t size);
// null: no block of the cluster has this address
Block* block_of_shared(const void* address);
unsigned char shared_poison();
char* arena_base();
constexpr std::size_t kArena = 512 * 1024;  // address space a block

// fault.cpp: while one lives, invalid accesses of kernels become faults of the launch
class FaultScope {
 public:
  FaultScope();
  ~FaultScope();
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
};

// buffer.cpp: describes an address in or around a buffer; false: none is near
bool describe_buffer(const char* address, bool store, char* text, std::size_t size);

}  // namespace plusmax::simt
