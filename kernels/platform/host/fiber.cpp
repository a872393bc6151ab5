// Fibers: their stacks and the switch between them.
#include "kernels/platform/host/machine.hpp"
#include "kernels/platform/host/race/hooks.hpp"

#include <sys/mman.h>
#include <boost/context/detail/fcontext.hpp>

#include <exception>
#include <new>
#include <vector>

#if PLUSMAX_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx{}, blockIdx{};
dim3 blockDim{}, gridDim{};

namespace plusmax::simt {
namespace context = boost::context::detail;

Machine machine;

namespace {

constexpr std::size_t kStackBytes = PLUSMAX_ASAN ? 256 * 1024 : 64 * 1024;
// Wide, so that a frame of some 10 KB cannot step over it.
constexpr std::size_t kGuardBytes = 64 * 1024;

std::vector<Stack>& free_stacks() {
  static std::vector<Stack> stacks;
  return stacks;
}
Stack retired;  // of the fiber that has just ended: free once we are off it

Stack take_stack() {
  std::vector<Stack>& stacks = free_stacks();
  if (stacks.empty()) {
    void* memory =
        mmap(nullptr, kGuardBytes + kStackBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    char* base = static_cast<char*>(memory) + kGuardBytes;
    if (mprotect(base, kStackBytes, PROT_READ | PROT_WRITE) != 0) {
      munmap(memory, kGuardBytes + kStackBytes);
      throw std::bad_alloc();
    }
    stacks.push_back({base, kStackBytes});
  }
  const Stack stack = stacks.back();
  stacks.pop_back();
#if PLUSMAX_ASAN
  __asan_unpoison_memory_region(stack.base, stack.bytes);  // frames that were left, never returned from
#endif
  return stack;
}

// First thing on the stack that goes on.
void landed(context::transfer_t from) {
  Fiber* previous = machine.previous;
  if (previous->wait != Wait::done || previous == &machine.main_fiber) previous->context = from.fctx;
  if (retired.base) {
    free_stacks().push_back(retired);
    retired = {};
  }
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

void fiber_main(context::transfer_t from) {
  landed(from);
  Block* block = machine.current->block;
  try {
    if (!block->started) begin_block_shared(block);
    machine.entry(machine.argument);
    fiber_exits(machine.current);
  } catch (const std::exception& e) {
    machine.error = std::string("a kernel threw an exception: ") + e.what();
    machine.failed = true;
    machine.current->wait = Wait::done;
  }
  Fiber* next = machine.failed ? &machine.main_fiber : pick();
  if (!next) {
    if (machine.live) describe_deadlock();
    next = &machine.main_fiber;
  }
  switch_to(next);
  __builtin_unreachable();
}

}  // namespace

void switch_to(Fiber* to) {
  Fiber* from = machine.current;
  if (to == from) return;
  Stats& counts = stats();
  ++counts.switches;
  counts.trace = (counts.trace ^ (std::uint64_t(fiber_index(to)) + 1)) * 0x100000001b3ull;
  if (!to->context) {
    to->stack = take_stack();
    // Page-aligned tops of all stacks would share a few cache sets; and unwinders look above the first frame.
    const std::size_t skew = kStackHeadroom + (to->linear * 5u % 31u) * 128u;
    to->context = context::make_fcontext(to->stack.base + to->stack.bytes - skew, to->stack.bytes - skew, fiber_main);
  }
  machine.previous = from;
  machine.current = to;
  const bool gone = from->wait == Wait::done && from != &machine.main_fiber;
  if (gone) retired = from->stack;
#if PLUSMAX_ASAN
  __sanitizer_start_switch_fiber(gone ? nullptr : &from->fake_stack, to->stack.base, to->stack.bytes);
#endif
  landed(context::jump_fcontext(to->context, nullptr));
}

void abandon_fibers() {
  for (unsigned b = 0; b < machine.blocks; ++b)
    for (unsigned i = 0; i < machine.block[b].threads; ++i) {
      Fiber& fiber = machine.fiber[b * kMaxThreads + i];
      if (fiber.context && fiber.wait != Wait::done) free_stacks().push_back(fiber.stack);
      fiber.wait = Wait::done;
    }
}

}  // namespace plusmax::simt
