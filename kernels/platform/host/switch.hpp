// From one fiber to the next. Inlined into the collectives: the return address that a processor predicts behind a
// switch is the other fiber's, so that each function in between would cost a wrong prediction.
#pragma once

#include "kernels/platform/host/machine.hpp"

#include <boost/context/detail/fcontext.hpp>

#if PLUSMAX_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace plusmax::simt {
namespace context = boost::context::detail;

// First thing on the stack that goes on.
[[gnu::always_inline]] inline void landed(context::transfer_t from) {
  Fiber* previous = machine.previous;
  if (previous->wait != Wait::done || previous == &machine.main_fiber) previous->context = from.fctx;
  if (machine.retired.base) give_back_retired();
  Fiber* fiber = machine.current;
#if PLUSMAX_ASAN
  const void* bottom;
  std::size_t size;
  __sanitizer_finish_switch_fiber(fiber->fake_stack, &bottom, &size);
  if (previous == &machine.main_fiber) machine.main_fiber.stack = {static_cast<char*>(const_cast<void*>(bottom)), size};
#endif
  if (fiber != &machine.main_fiber) {
    threadIdx = fiber->thread;
    blockIdx = fiber->block->index;
  }
}

[[gnu::always_inline]] inline void switch_to(Fiber* to) {
  Fiber* from = machine.current;
  if (to == from) return;
  Stats& counts = stats();
  ++counts.switches;
  counts.trace = (counts.trace ^ (std::uint64_t(fiber_index(to)) + 1)) * 0x100000001b3ull;
  if (!to->context) prepare(to);
  machine.previous = from;
  machine.current = to;
  const bool gone = from->wait == Wait::done && from != &machine.main_fiber;
  if (gone) machine.retired = from->stack;
#if PLUSMAX_ASAN
  __sanitizer_start_switch_fiber(gone ? nullptr : &from->fake_stack, to->stack.base, to->stack.bytes);
#endif
  landed(context::jump_fcontext(to->context, nullptr));
}

inline unsigned lowest_bit(std::uint32_t mask) { return unsigned(__builtin_ctz(mask)); }
// Cyclic search upwards.
inline unsigned next_bit(std::uint32_t mask, unsigned from) {
  const std::uint32_t above = from < 32 ? mask & (~0u << from) : 0;
  return lowest_bit(above ? above : mask);
}
inline Fiber* next_of_warp(Fiber* self) { return self - self->lane + next_bit(self->warp->ready, self->lane + 1u); }

// Who goes on; null: nobody can.
[[gnu::always_inline]] inline Fiber* pick() {
  const bool usual = options().policy == Policy::forward && !machine.in_flight && in_kernel();
  return usual && machine.current->warp->ready ? next_of_warp(machine.current) : pick_anywhere();
}

inline void make_unready(Fiber* fiber, Wait why) {
  fiber->wait = why;
  Block* block = fiber->block;
  Warp* warp = fiber->warp;
  const std::uint32_t bit = 1u << fiber->lane;
  if (why == Wait::block) warp->at_block |= bit;
  if (why == Wait::cluster) warp->at_cluster |= bit;
  if ((warp->ready &= ~bit) != 0) return;
  if ((block->ready_warps &= ~(1u << (warp - block->warp))) == 0) machine.ready_blocks &= ~(1u << block->rank);
}

[[gnu::always_inline]] inline void block_here(Wait why, const char* file, int line) {
  Fiber* self = machine.current;
  self->file = file;
  self->line = line;
  make_unready(self, why);
  Fiber* next = pick();
  if (!next) {
    describe_deadlock();
    next = &machine.main_fiber;
  }
  switch_to(next);
}

}  // namespace plusmax::simt
