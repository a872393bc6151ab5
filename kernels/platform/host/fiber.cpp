// Fibers: their stacks, their beginning and their end.
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/switch.hpp"

#include <sys/mman.h>

#include <exception>
#include <new>
#include <vector>

#if PLUSMAX_ASAN
#include <sanitizer/asan_interface.h>
#endif

uint3 threadIdx{}, blockIdx{};
dim3 blockDim{}, gridDim{};

namespace plusmax::simt {

Machine machine;

namespace {

constexpr std::size_t kStackBytes = PLUSMAX_ASAN ? 256 * 1024 : 64 * 1024;
// Wide, so that a frame of some 10 KB cannot step over it.
constexpr std::size_t kGuardBytes = 64 * 1024;

std::vector<Stack>& free_stacks() {
  static std::vector<Stack> stacks;
  return stacks;
}

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

void prepare(Fiber* fiber) {
  fiber->stack = take_stack();
  // Page-aligned tops of all stacks would share a few cache sets; and unwinders look above the first frame.
  const std::size_t skew = kStackHeadroom + (fiber->linear * 5u % 31u) * 128u;
  const std::size_t bytes = fiber->stack.bytes - skew;
  fiber->context = context::make_fcontext(fiber->stack.base + bytes, bytes, fiber_main);
}

void give_back_retired() {
  free_stacks().push_back(machine.retired);
  machine.retired = {};
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
