// Shared memory: one arena a block, [guard | static variables ... dynamic, its end against the guard | guard], so that
// an address of one block can be mapped to any other block of the cluster.
#include "kernels/platform/host/machine.hpp"
#include "kernels/platform/host/race/hooks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#if PLUSMAX_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace plusmax::simt {
namespace {

constexpr std::size_t kUsable = 256 * 1024, kLead = 128 * 1024;  // window of an arena that is ever mapped
constexpr std::size_t kRedZone = 32;                             // around static variables, before the dynamic part
std::vector<const SharedSite*> sites;                            // of this launch
unsigned char poison = 0xFF;

void set_access(unsigned rank, bool on) {
  static bool state[kMaxCluster];
  if (state[rank] == on) return;
  state[rank] = on;
  if (mprotect(arena_base() + rank * kArena + kLead, kUsable, on ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
    throw std::bad_alloc();
}

#if PLUSMAX_ASAN
void check_red_zones(const Block*) {}
#else
void check_red_zones(const Block* block) {
  if (!options().poison_shared) return;
  for (std::size_t i = 1; i <= kRedZone; ++i)
    if (static_cast<unsigned char>(block->shared[machine.dynamic_offset - i]) != poison)
      fail("out of bounds: dynamic shared memory was written %zu bytes before its start", i);
  for (const SharedSite* site : sites) {
    const std::size_t end = site->offset + site->bytes;
    for (std::size_t i = end; i < end + kRedZone && i < block->filled; ++i)
      if (static_cast<unsigned char>(block->shared[i]) != poison)
        fail("out of bounds: shared '%s' of %zu bytes was written at byte offset %zu", site->name, site->bytes,
             i - site->offset);
  }
}
#endif

}  // namespace

char* arena_base() {
  static char* const base = [] {
    void* memory = mmap(nullptr, kArena * kMaxCluster, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(memory);
  }();
  return base;
}

void begin_launch_shared() {
  machine.static_bytes = 0;
  sites.clear();
  // NaN, or a huge finite value: fmaxf(x, NaN) is x, so NaN alone can be washed out.
  poison = options().seed & 1 ? 0x7F : 0xFF;
  machine.dynamic_offset = (kUsable - machine.grid.shared_bytes) & ~std::size_t(15);
}

void begin_cluster_shared(unsigned rank, bool accessible) {
  machine.block[rank].shared = arena_base() + rank * kArena + kLead;
  set_access(rank, accessible);
}

void begin_block_shared(Block* block) {
  block->started = true;
  if (machine.blocks > 1) set_access(block->rank, true);
  if (options().poison_shared) {
#if PLUSMAX_ASAN
    __asan_unpoison_memory_region(block->shared, kUsable);
#endif
    block->filled =
        std::min(machine.dynamic_offset - kRedZone, std::max<std::size_t>(machine.static_bytes + kRedZone, 4096));
    std::memset(block->shared, poison, block->filled);
    std::memset(block->shared + machine.dynamic_offset - kRedZone, poison, kRedZone + machine.grid.shared_bytes);
  }
#if PLUSMAX_ASAN
  __asan_poison_memory_region(block->shared, kUsable);
  __asan_unpoison_memory_region(block->shared + machine.dynamic_offset, machine.grid.shared_bytes);
#endif
}

void end_block_shared(Block* block) {
  check_red_zones(block);
  if (machine.blocks > 1) set_access(block->rank, false);  // a peer that comes too late faults
}

void* static_shared(SharedSite& site) {
  if (!in_kernel()) fail("shared memory '%s' outside a kernel", site.name);
  Block* block = machine.current->block;
  if (site.launch != machine.launch_id) {
    site.offset = (machine.static_bytes + kRedZone + site.align - 1) / site.align * site.align;
    machine.static_bytes = site.offset + site.bytes;
    site.launch = machine.launch_id;
    sites.push_back(&site);
    if (machine.static_bytes + machine.grid.shared_bytes > kMaxShared ||
        machine.static_bytes + 2 * kRedZone > machine.dynamic_offset)
      fail("shared memory exceeds %zu bytes at '%s' of %zu bytes", kMaxShared, site.name, site.bytes);
  }
#if PLUSMAX_ASAN
  __asan_unpoison_memory_region(block->shared + site.offset, site.bytes);
#endif
  return block->shared + site.offset;
}

void* dynamic_shared() {
  if (!in_kernel()) fail("dynamic shared memory outside a kernel");
  return machine.current->block->shared + machine.dynamic_offset;
}

void* map_shared_rank(const void* address, unsigned rank) {
  if (!in_kernel()) fail("map_shared_rank outside a kernel");
  if (rank >= machine.blocks) fail("map_shared_rank: rank %u in a cluster of %u", rank, machine.blocks);
  const char* own = machine.current->block->shared;
  const char* p = static_cast<const char*>(address);
  if (p < own || p >= own + kUsable) fail("map_shared_rank: %p is not in this block's shared memory", address);
  return machine.block[rank].shared + (p - own);
}

Block* block_of_shared(const void* address) {
  const char* p = static_cast<const char*>(address);
  if (p < arena_base() || p >= arena_base() + kArena * kMaxCluster) return nullptr;
  const unsigned rank = unsigned((p - arena_base()) / std::ptrdiff_t(kArena));
  return rank < machine.blocks ? &machine.block[rank] : nullptr;
}

unsigned char shared_poison() { return poison; }

bool describe_shared(const char* address, char* text, std::size_t size) {
  if (address < arena_base() || address >= arena_base() + kArena * kMaxCluster) return false;
  const unsigned rank = unsigned((address - arena_base()) / std::ptrdiff_t(kArena));
  const Block& block = machine.block[rank];
  const char* why = rank >= machine.blocks ? "no such block"
                    : !block.started       ? "the block has not started"
                    : !block.live          ? "the block has exited"
                                           : "out of bounds";
  std::snprintf(text, size, "shared memory of rank %u: %s (byte offset %td in the dynamic part of %zu bytes)", rank,
                why, address - (arena_base() + rank * kArena + kLead + machine.dynamic_offset),
                machine.grid.shared_bytes);
  return true;
}

}  // namespace plusmax::simt
