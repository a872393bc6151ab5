// Named barriers: 16 a block, each for as many threads as its callers say; whole warps wait at it or only arrive.
#include "kernels/platform/host/async.hpp"
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/switch.hpp"

namespace plusmax::simt {
namespace {

struct NamedBarrier {
  unsigned count = 0, arrived = 0;  // threads
  std::uint32_t warps = 0, waiting_warps = 0;
  std::uint32_t waiting[kMaxWarps] = {};  // lanes that are not ready
  std::uint64_t turn = 0;
  const char* file = "";
  int line = 0;
};
NamedBarrier barriers[kMaxCluster][kNamedBarriers];
bool used = false;

// One word for the collective that brings the lanes of the warp together.
std::uint64_t pack(unsigned id, unsigned count, bool wait) { return id | count << 8 | std::uint64_t(wait) << 32; }

void release(NamedBarrier& barrier, Block& block, unsigned id) {
  ++barrier.turn;
  machine.idle_pauses = 0;
  race_named_release(block, id, barrier.waiting_warps);
  for (unsigned w = 0; w < kMaxWarps; ++w) {
    make_ready(&block.warp[w], &block, barrier.waiting[w]);
    barrier.waiting[w] = 0;
  }
  barrier.count = barrier.arrived = 0;
  barrier.warps = barrier.waiting_warps = 0;
}

}  // namespace

std::uint64_t arrive_warp(Block& block, unsigned warp, std::uint64_t packed, const char* file, int line) {
  const unsigned id = packed & 255, count = unsigned(packed >> 8) & 0xffffff;
  NamedBarrier& barrier = barriers[block.rank][id];
  if (barrier.arrived && barrier.count != count)
    fail("named barrier %u at %s:%d is for %u threads, but others came at %s:%d for %u", id, file, line, count,
         barrier.file, barrier.line, barrier.count);
  if (barrier.warps >> warp & 1)
    fail("named barrier %u at %s:%d: warp %u comes twice before the %u threads are complete (%s:%d)", id, file, line,
         warp, count, barrier.file, barrier.line);
  const std::uint64_t turn = barrier.turn;
  barrier.count = count;
  barrier.arrived += kWarpSize;
  barrier.warps |= 1u << warp;
  if (packed >> 32) barrier.waiting_warps |= 1u << warp;
  barrier.file = file;
  barrier.line = line;
  used = true;
  race_named_arrive(block, warp, id);
  if (barrier.arrived == count) release(barrier, block, id);
  return turn;
}

void named_barrier(unsigned id, unsigned count, bool wait, const char* file, int line) {
  if (!in_kernel()) fail("named barrier at %s:%d outside a kernel", file, line);
  if (id == 0 || id >= kNamedBarriers)
    fail("named barrier at %s:%d: there is no barrier %u: 1 to 15, and 0 is __syncthreads", file, line, id);
  Fiber* self = machine.current;
  if (count == 0 || count % kWarpSize || count > kMaxWarps * kWarpSize || count > warps_of(*self->block) * kWarpSize)
    fail("named barrier %u at %s:%d: %u threads are no whole warps of a block of %u", id, file, line, count,
         self->block->threads);
  const std::uint64_t turn = warp_collective(WarpOp::named, ~0u, pack(id, count, wait), 0, file, line);
  NamedBarrier& barrier = barriers[self->block->rank][id];
  if (!wait || barrier.turn != turn) return;
  barrier.waiting[self->linear / kWarpSize] |= 1u << self->lane;
  block_here(Wait::named, file, line);
}

void begin_cluster_named() {
  if (!used) return;
  for (unsigned rank = 0; rank < kMaxCluster; ++rank)
    for (unsigned id = 0; id < kNamedBarriers; ++id) {
      barriers[rank][id] = {};
      race_named_begin(rank, id);
    }
  used = false;
}

void end_block_named(const Block& block) {
  if (!used) return;
  for (unsigned id = 1; id < kNamedBarriers; ++id)
    if (const NamedBarrier& barrier = barriers[block.rank][id]; barrier.arrived)
      fail("named barrier %u: the block exits when %u of %u threads have come (%s:%d)", id, barrier.arrived,
           barrier.count, barrier.file, barrier.line);
}

}  // namespace plusmax::simt
