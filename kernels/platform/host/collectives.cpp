// Barriers, warp collectives and cluster barriers. The last thread to arrive does the work of all.
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/switch.hpp"

#include <algorithm>

namespace plusmax::simt {
namespace {

void release_block(Block* block) {
  block->predicate_result = block->predicate_sum;
  block->predicate_sum = 0;
  block->arrived = 0;
  block->last_sync = ++machine.now;
  machine.idle_pauses = 0;
  ++stats().block_barriers;
  race_block_release(block);
  for (unsigned w = 0; w < warps_of(*block); ++w) {
    make_ready(&block->warp[w], block, block->warp[w].at_block);
    block->warp[w].at_block = 0;
  }
}

void release_cluster() {
  machine.cluster_arrived = 0;
  ++machine.cluster_generation;
  ++stats().cluster_barriers;
  machine.cluster_prior_sync = machine.cluster_last_sync;
  machine.cluster_last_sync = ++machine.now;
  machine.idle_pauses = 0;
  race_cluster_release();
  for (unsigned b = 0; b < machine.blocks; ++b)
    for (unsigned w = 0; w < warps_of(machine.block[b]); ++w) {
      Warp& warp = machine.block[b].warp[w];
      make_ready(&warp, &machine.block[b], warp.at_cluster);
      warp.at_cluster = 0;
    }
}

// Exchanges the values of the lanes `part`, which have all arrived.
void complete_warp(Warp* warp, Block* block, std::uint32_t part, const char* file, int line) {
  const WarpOp op = warp->op[__builtin_ctz(part)];
  ++stats().warp_collectives;
  std::uint64_t all = op == WarpOp::min_u32 ? ~0u : 0;
  for (std::uint32_t rest = part; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const std::uint64_t value = warp->in[lane];
    switch (op) {
      case WarpOp::shuffle:
        if (!(part >> warp->source[lane] & 1))
          fail("shuffle at %s:%d: lane %d reads lane %d, which does not take part", file, line, lane,
               warp->source[lane]);
        warp->out[lane] = warp->in[warp->source[lane]];
        break;
      case WarpOp::named:
        if (value != warp->in[__builtin_ctz(part)])
          fail("warp divergence: lanes of one warp come to different named barriers at %s:%d", file, line);
        break;
      case WarpOp::ballot:
        all |= (value & 1) << lane;
        break;
      case WarpOp::add_u32:
        all += std::uint32_t(value);
        break;
      case WarpOp::min_u32:
        all = std::min(all, value);
        break;
      case WarpOp::max_u32:
        all = std::max(all, value);
        break;
      default:
        break;
    }
  }
  if (op == WarpOp::named)
    all = arrive_warp(*block, unsigned(warp - block->warp), warp->in[__builtin_ctz(part)], file, line);
  if (op != WarpOp::shuffle)
    for (std::uint32_t rest = part; rest; rest &= rest - 1) warp->out[__builtin_ctz(rest)] = all;
  // Shuffles and votes order nothing in memory; __syncwarp does.
  if (op == WarpOp::sync) race_warp_sync(warp, block, part);
  machine.idle_pauses = 0;
  warp->arrived &= ~part;
}

// Lanes that wait at another collective may be a group of their own; if the groups overlap, it is a mistake.
void check_groups(const Fiber* self, WarpOp op, unsigned mask, const char* file, int line) {
  const Warp* warp = self->warp;
  for (std::uint32_t rest = warp->arrived; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const bool overlap = (mask >> lane & 1) || (warp->mask[lane] >> self->lane & 1);
    const Fiber* other = self - self->lane + lane;
    if (overlap && (warp->mask[lane] != mask || warp->op[lane] != op))
      fail("warp divergence at %s:%d: mask 0x%08x, but lane %d waits with mask 0x%08x at another collective (%s:%d)",
           file, line, mask, lane, warp->mask[lane], other->file, other->line);
  }
}

// Not the lanes that the last warp of an odd block never had.
std::uint32_t exited_lanes(const Fiber* self) {
  const unsigned first = self->linear / kWarpSize * kWarpSize, count = self->block->threads - first;
  const std::uint32_t had = count >= kWarpSize ? ~0u : (1u << count) - 1;
  return had & ~self->warp->live;
}

}  // namespace

int block_barrier(BlockOp op, int predicate, const char* file, int line) {
  if (!in_kernel()) fail("__syncthreads at %s:%d outside a kernel", file, line);
  Fiber* self = machine.current;
  Block* block = self->block;
  if (!options().exited_threads_ok && block->live < block->threads)
    fail("barrier divergence: __syncthreads at %s:%d after %u thread(s) exited", file, line,
         block->threads - block->live);
  if (block->arrived && (block->line != line || block->file != file || block->op != op))
    fail("barrier divergence: __syncthreads at %s:%d while others wait at %s:%d", file, line, block->file, block->line);
  block->file = file;
  block->line = line;
  block->op = op;
  block->predicate_sum += op == BlockOp::all ? predicate == 0 : predicate != 0;
  race_block_arrive(self);
  if (++block->arrived == block->live) {
    self->file = file;
    self->line = line;
    release_block(block);
    if (options().policy != Policy::forward) reschedule();
  } else {
    block_here(Wait::block, file, line);
  }
  const int result = block->predicate_result;
  return op == BlockOp::all ? result == 0 : op == BlockOp::any ? result != 0 : result;
}

std::uint64_t warp_collective(WarpOp op, unsigned mask, std::uint64_t value, unsigned source, const char* file,
                              int line) {
  if (!in_kernel()) fail("warp collective at %s:%d outside a kernel", file, line);
  Fiber* self = machine.current;
  Warp* warp = self->warp;
  const unsigned lane = self->lane;
  if (!(mask >> lane & 1))
    fail("warp collective at %s:%d: lane %u is not in its own mask 0x%08x", file, line, lane, mask);
  if (!warp->arrived) {
    warp->group_mask = mask;
    warp->group_op = op;
  }
  if (warp->group_mask != mask || warp->group_op != op) {
    warp->group_mask = 0;
    check_groups(self, op, mask, file, line);
  }
  if ((mask & ~warp->live) && !options().exited_threads_ok && (mask & exited_lanes(self)))
    fail("warp divergence at %s:%d: mask 0x%08x names lanes 0x%08x, which have exited", file, line, mask,
         mask & exited_lanes(self));
  warp->mask[lane] = mask;
  warp->op[lane] = op;
  warp->in[lane] = value;
  warp->source[lane] = std::uint8_t(source & 31);
  warp->arrived |= 1u << lane;
  const std::uint32_t part = mask & warp->live;
  if ((warp->arrived & part) == part) {
    self->file = file;
    self->line = line;
    complete_warp(warp, self->block, part, file, line);
    make_ready(warp, self->block, part);
    if (options().policy != Policy::forward) reschedule();
  } else {
    block_here(Wait::warp, file, line);
  }
  return warp->out[lane];
}

void cluster_arrive(const char* file, int line) {
  if (!in_kernel()) fail("cluster barrier at %s:%d outside a kernel", file, line);
  Fiber* self = machine.current;
  if (self->has_arrived) fail("cluster barrier at %s:%d: second arrive without a wait", file, line);
  if (!options().exited_threads_ok && machine.live < machine.blocks * machine.block[0].threads)
    fail("barrier divergence: cluster barrier at %s:%d after a thread of the cluster exited", file, line);
  self->has_arrived = true;
  self->cluster_generation = machine.cluster_generation;
  self->arrived_at[machine.cluster_generation & 1] = ++machine.now;
  self->file = file;
  self->line = line;
  race_cluster_arrive(self);
  if (++machine.cluster_arrived == machine.live) release_cluster();
}

void cluster_wait(const char* file, int line) {
  if (!in_kernel()) fail("cluster barrier at %s:%d outside a kernel", file, line);
  Fiber* self = machine.current;
  if (!self->has_arrived) fail("cluster barrier at %s:%d: wait without an arrive", file, line);
  if (self->cluster_generation == machine.cluster_generation) {
    block_here(Wait::cluster, file, line);
  } else if (options().policy != Policy::forward) {
    reschedule();
  }
  self->has_arrived = false;
}

unsigned lane() { return machine.current->lane; }
unsigned cluster_rank() { return in_kernel() ? machine.current->block->rank : 0; }
unsigned cluster_size() { return machine.blocks; }

void fiber_exits(Fiber* self) {
  Block* block = self->block;
  Warp* warp = self->warp;
  if (!options().exited_threads_ok && block->arrived)
    fail("barrier divergence: a thread exits while %u thread(s) wait at __syncthreads (%s:%d)", block->arrived,
         block->file, block->line);
  if (!options().exited_threads_ok && machine.cluster_arrived)
    fail("barrier divergence: a thread exits while %u thread(s) wait at a cluster barrier", machine.cluster_arrived);
  end_thread_bulk(self);
  if (block->live == 1) {
    end_block_in_flight(*block);
    end_block_mbarriers(*block);
    end_block_named(*block);
  }
  race_exit(self);
  if (!self->has_arrived) self->arrived_at[machine.cluster_generation & 1] = ++machine.now;
  make_unready(self, Wait::done);
  warp->live &= ~(1u << self->lane);
  --block->live;
  --machine.live;
  machine.idle_pauses = 0;
  for (std::uint32_t rest = warp->arrived; rest; rest &= rest - 1) {  // a warp collective that waited for this thread
    const int lane = __builtin_ctz(rest);
    const std::uint32_t part = warp->mask[lane] & warp->live;
    const Fiber* waiting = self - self->lane + lane;
    if (!(warp->mask[lane] >> self->lane & 1)) continue;
    if (!options().exited_threads_ok)
      fail("warp divergence: a thread exits while lane %d waits for it with mask 0x%08x (%s:%d)", lane,
           warp->mask[lane], waiting->file, waiting->line);
    if ((warp->arrived & part) == part) {
      complete_warp(warp, block, part, waiting->file, waiting->line);
      make_ready(warp, block, part);
      break;
    }
  }
  if (block->live && block->arrived == block->live) release_block(block);
  if (machine.live && machine.cluster_arrived == machine.live) release_cluster();
  if (!block->live) end_block_shared(block);
}

}  // namespace plusmax::simt
