// Faults: invalid accesses of kernels become the launch's fault instead of the process's end.
#include "kernels/platform/device.hpp"
#include "kernels/platform/host/switch.hpp"

#include <signal.h>
#include <ucontext.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#if PLUSMAX_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace plusmax::simt {
namespace {

char fault_text[400];
struct sigaction old_segv, old_bus;
stack_t old_stack;
char signal_stack[64 * 1024];

// Runs on the faulting fiber's stack, whose frames will never be returned to.
#if PLUSMAX_ASAN
__attribute__((no_sanitize("address")))
#endif
void fault_landing() {
#if PLUSMAX_ASAN
  const Stack& stack = machine.current->stack;
  __asan_unpoison_memory_region(stack.base, stack.bytes);
#endif
  fail("%s", fault_text);
}

void continue_at_landing(ucontext_t* state, const Stack& stack) {
  const std::uintptr_t top =
      (reinterpret_cast<std::uintptr_t>(stack.base) + stack.bytes - kStackHeadroom) & ~std::uintptr_t(15);
#if defined(__x86_64__)
  state->uc_mcontext.gregs[REG_RIP] = greg_t(&fault_landing);
  state->uc_mcontext.gregs[REG_RSP] = greg_t(top - 8);
#elif defined(__aarch64__)
  state->uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(&fault_landing);
  state->uc_mcontext.sp = top;
#else
#error "the host machine knows x86-64 and AArch64"
#endif
}

bool is_store([[maybe_unused]] const ucontext_t* state) {
#if defined(__x86_64__)
  return state->uc_mcontext.gregs[REG_ERR] & 2;
#else
  return false;
#endif
}

void describe(const char* address, bool store, const Stack& stack) {
  char* text = fault_text;
  const std::size_t size = sizeof fault_text;
  if (address < stack.base && address >= stack.base - 64 * 1024)
    std::snprintf(text, size, "stack overflow: a thread has %zu bytes", stack.bytes);
  else if (!describe_shared(address, text, size) && !describe_buffer(address, store, text, size))
    std::snprintf(text, size, "invalid address %p: %s", static_cast<const void*>(address),
                  store ? "stored to" : "accessed");
}

// ASan is writing a report, and what faults is the report.
bool sanitizer_reports() {
#if PLUSMAX_ASAN
  return __asan_report_present();
#else
  return false;
#endif
}

void on_fault(int signal, siginfo_t* info, void* raw) {
  if (!in_kernel() ||
      sanitizer_reports()) {  // not ours: the access happens again, under the handler that was there before
    sigaction(signal, signal == SIGSEGV ? &old_segv : &old_bus, nullptr);
    return;
  }
  auto* state = static_cast<ucontext_t*>(raw);
  const Stack& stack = machine.current->stack;
  describe(static_cast<const char*>(info->si_addr), is_store(state), stack);
  continue_at_landing(state, stack);
}

}  // namespace

FaultScope::FaultScope() {
  stack_t stack{};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, &old_stack);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, &old_segv);
  sigaction(SIGBUS, &action, &old_bus);
}

FaultScope::~FaultScope() {
  sigaction(SIGSEGV, &old_segv, nullptr);
  sigaction(SIGBUS, &old_bus, nullptr);
  sigaltstack(&old_stack, nullptr);
}

void fail(const char* format, ...) {
  char text[600], where[200];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!in_kernel()) throw DeviceError(text);
  const Fiber* self = machine.current;
  int used = std::snprintf(where, sizeof where, " [thread (%u,%u,%u) of block (%u,%u,%u), rank %u, seed %llu",
                           self->thread.x, self->thread.y, self->thread.z, self->block->index.x, self->block->index.y,
                           self->block->index.z, self->block->rank, static_cast<unsigned long long>(options().seed));
  if (self->line && used > 0 && std::size_t(used) < sizeof where)
    used += std::snprintf(where + used, sizeof where - std::size_t(used), ", after %s:%d", self->file, self->line);
  machine.error = std::string(text) + where + "]";
  machine.failed = true;
  switch_to(&machine.main_fiber);
  __builtin_unreachable();
}

void fail_misaligned(const void* address, std::size_t bytes) {
  fail("misaligned access of %zu bytes at %p", bytes, address);
}

}  // namespace plusmax::simt
