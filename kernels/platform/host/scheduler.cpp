// Who goes on: bit masks of what is ready, and the three policies.
#include "kernels/platform/host/switch.hpp"

namespace plusmax::simt {
namespace {

unsigned random_bit(std::uint32_t mask) {
  for (unsigned skip = unsigned((next_random() >> 32) * unsigned(__builtin_popcount(mask)) >> 32); skip; --skip)
    mask &= mask - 1;
  return unsigned(__builtin_ctz(mask));
}
unsigned highest_bit(std::uint32_t mask) { return 31u - unsigned(__builtin_clz(mask)); }
Fiber* fiber_at(unsigned block, unsigned warp, unsigned lane) {
  return &machine.fiber[block * kMaxThreads + warp * kWarpSize + lane];
}

Fiber* pick_random(unsigned here, unsigned warp_here) {
  const std::uint64_t r = next_random();
  // Uniform picks almost never let one warp run ahead of the others; staying in one place finds those races.
  const bool same_block = (machine.ready_blocks >> here & 1) && (r & 255) < machine.stay_block;
  const unsigned b = same_block ? here : random_bit(machine.ready_blocks);
  const std::uint32_t ready = machine.block[b].ready_warps;
  const bool same_warp = b == here && (ready >> warp_here & 1) && (r >> 8 & 255) < machine.stay_warp;
  const unsigned w = same_warp ? warp_here : random_bit(ready);
  return fiber_at(b, w, random_bit(machine.block[b].warp[w].ready));
}

// After the caller, every other ready thread gets its turn before the caller does.
Fiber* pick_round_robin() {
  const Fiber* self = machine.current;
  const std::uint32_t above = self->lane < 31 ? self->warp->ready & (~0u << (self->lane + 1u)) : 0;
  const unsigned here = self->block->rank, warp_here = self->linear / kWarpSize;
  if (above) return fiber_at(here, warp_here, lowest_bit(above));
  const std::uint32_t warps_above = warp_here < 31 ? self->block->ready_warps & (~0u << (warp_here + 1u)) : 0;
  const unsigned b = warps_above ? here : next_bit(machine.ready_blocks, here + 1u);
  const unsigned w = warps_above ? lowest_bit(warps_above) : lowest_bit(machine.block[b].ready_warps);
  return fiber_at(b, w, lowest_bit(machine.block[b].warp[w].ready));
}

}  // namespace

std::uint64_t next_random() {  // splitmix64
  return mix_random(machine.random += 0x9E3779B97F4A7C15ull);
}

std::uint64_t mix_random(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void start_schedule() {
  machine.random = options().seed * 0x2545F4914F6CDD1Dull + 0x1234567;
  constexpr unsigned kStay[4] = {0, 230, 252, 255};
  machine.stay_block = kStay[next_random() & 3];
  machine.stay_warp = kStay[next_random() & 3];
  if (options().sticky >= 0) machine.stay_block = machine.stay_warp = unsigned(options().sticky);
}

void make_ready(Warp* warp, Block* block, std::uint32_t lanes) {
  if (!lanes) return;
  warp->ready |= lanes;
  block->ready_warps |= 1u << (warp - block->warp);
  machine.ready_blocks |= 1u << block->rank;
}

Fiber* pick_anywhere() {
  if (machine.in_flight) land_something();
  if (!machine.ready_blocks) return nullptr;
  const Policy policy = options().policy;
  Fiber* self = in_kernel() ? machine.current : &machine.fiber[0];
  if (policy == Policy::forward && self->warp->ready) return next_of_warp(self);
  const unsigned here = self->block->rank, warp_here = self->linear / kWarpSize;
  if (policy == Policy::random) return pick_random(here, warp_here);
  if (policy == Policy::forward) {
    const unsigned b = next_bit(machine.ready_blocks, here);
    const std::uint32_t ready = machine.block[b].ready_warps;
    const unsigned w = b == here ? next_bit(ready, warp_here) : lowest_bit(ready);
    return fiber_at(b, w, lowest_bit(machine.block[b].warp[w].ready));
  }
  const unsigned b = highest_bit(machine.ready_blocks), w = highest_bit(machine.block[b].ready_warps);
  return fiber_at(b, w, highest_bit(machine.block[b].warp[w].ready));
}

void reschedule() { switch_to(pick()); }

void yield() {
  if (in_kernel() && options().policy == Policy::random) reschedule();
}

void pause() {
  if (!in_kernel()) fail("pause() outside a kernel");
  if (machine.in_flight && machine.idle_pauses > 2ull * machine.live) land_one();
  // Nothing but barriers, exits, atomic stores and landings can end a wait; after that many turns without any, none
  // will.
  if (++machine.idle_pauses > 64ull * machine.live + 10000)
    fail("livelock: %llu pauses, and no thread of the cluster did anything that could end a wait",
         static_cast<unsigned long long>(machine.idle_pauses));
  switch_to(pick_round_robin());
}

}  // namespace plusmax::simt
