// Barriers in shared memory that count arrivals and bytes. A phase is over when no arrival is pending and as many bytes
// have landed as were expected; waits name a phase by its parity.
#include "kernels/platform/host/mbarrier.hpp"

#include "kernels/platform/host/async.hpp"
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/switch.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plusmax::simt {
namespace {

constexpr std::int64_t kMaxCount = (1 << 20) - 1;  // of arrivals and, either way, of bytes

struct Mbarrier {
  unsigned rank, count, pending;
  std::int64_t bytes = 0;                         // expected and not yet landed
  std::uint64_t phase = 0;                        // phases that are over
  std::uint64_t filled = 0;                       // phases up to the last in which bytes landed
  std::uint64_t waited = 0;                       // phases that some thread has waited for
  bool from_peer = false, was_from_peer = false;  // a peer takes part in this phase, took part in the last
  std::vector<Fiber*> waiting;
  const char* file;  // where it was initialised
  int line;
};
std::unordered_map<const void*, Mbarrier> mbarriers;  // of the cluster that runs

// What the 8 bytes hold, so that a store to them is noticed.
std::uint64_t token_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) * 0x9E3779B97F4A7C15ull;
}

void check_place(const void* address, const char* what, const char* file, int line) {
  if (!in_kernel()) fail("%s at %s:%d outside a kernel", what, file, line);
  if (reinterpret_cast<std::uintptr_t>(address) % 8)
    fail("%s at %s:%d: misaligned mbarrier at %p", what, file, line, address);
  const Block* block = block_of_shared(address);
  if (!block) fail("%s at %s:%d: the mbarrier at %p is not in shared memory", what, file, line, address);
  if (!block->started || !block->live)
    fail("%s at %s:%d: mbarrier in shared memory of rank %u: the block has %s", what, file, line, block->rank,
         block->started ? "exited" : "not started");
}

Mbarrier& find(const void* address, const char* what, const char* file, int line) {
  check_place(address, what, file, line);
  const auto at = mbarriers.find(address);
  if (at == mbarriers.end()) fail("%s at %s:%d: the mbarrier is not initialised, or no longer", what, file, line);
  std::uint64_t token;
  std::memcpy(&token, address, sizeof token);
  if (token != token_of(address))
    fail("%s at %s:%d: something has overwritten the mbarrier initialised at %s:%d", what, file, line, at->second.file,
         at->second.line);
  return at->second;
}

Mbarrier& find_own(const void* address, const char* what, const char* file, int line) {
  Mbarrier& barrier = find(address, what, file, line);
  if (barrier.rank != machine.current->block->rank)
    fail("%s at %s:%d: the mbarrier is in shared memory of rank %u: a peer can only arrive", what, file, line,
         barrier.rank);
  return barrier;
}

std::string state_of(const Mbarrier& barrier) {
  char text[300];
  std::snprintf(text, sizeof text, "initialised at %s:%d, phase %llu, %u of %u arrivals missing, %lld bytes %s",
                barrier.file, barrier.line, static_cast<unsigned long long>(barrier.phase), barrier.pending,
                barrier.count, static_cast<long long>(std::abs(barrier.bytes)),
                barrier.bytes < 0 ? "more than expected" : "missing");
  return text;
}

void turn_if_over(const void* address, Mbarrier& barrier) {
  if (barrier.pending || barrier.bytes) return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  barrier.was_from_peer = std::exchange(barrier.from_peer, false);
  machine.idle_pauses = 0;
  race_mbarrier_turn(address);
  for (Fiber* fiber : barrier.waiting) make_ready(fiber->warp, fiber->block, 1u << fiber->lane);
  barrier.waiting.clear();
}

bool is_over(const Mbarrier& barrier, unsigned parity) { return (barrier.phase & 1) != parity; }

void pass(const void* address, Mbarrier& barrier, Scope scope, const char* file, int line) {
  if (barrier.was_from_peer && scope == Scope::block)
    fail(
        "mbarrier wait at %s:%d: a peer took part in the phase, and a wait in the scope of the block acquires nothing "
        "of it",
        file, line);
  barrier.waited = barrier.phase;
  race_mbarrier_pass(address);
}

Mbarrier& begin_wait(const void* address, unsigned parity, const void* code, const char* file, int line) {
  find_own(address, "mbarrier wait", file, line);
  if (parity > 1) fail("mbarrier wait at %s:%d: parity %u is neither 0 nor 1", file, line, parity);
  race_mbarrier_look(address, code);  // may give way
  return find_own(address, "mbarrier wait", file, line);
}

}  // namespace

void check_mbarrier(const void* address, const char* what, const char* file, int line) {
  find(address, what, file, line);
}

void complete_bytes(const void* address, unsigned bytes, unsigned sender_rank, const char* what, const char* file,
                    int line) {
  Mbarrier& barrier = find(address, what, file, line);
  barrier.bytes -= bytes;
  if (barrier.bytes < -kMaxCount)
    fail("%s at %s:%d: too many bytes have landed (%s)", what, file, line, state_of(barrier).c_str());
  barrier.filled = barrier.phase + 1;
  barrier.from_peer |= sender_rank != barrier.rank;
  turn_if_over(address, barrier);
}

void mbarrier_init(void* address, unsigned count, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  check_place(address, "mbarrier init", file, line);
  if (block_of_shared(address) != machine.current->block) fail("mbarrier init at %s:%d: it is a peer's", file, line);
  if (count < 1 || count > kMaxCount)
    fail("mbarrier init at %s:%d: a count of %u, allowed are 1 to %lld", file, line, count,
         static_cast<long long>(kMaxCount));
  if (const auto at = mbarriers.find(address); at != mbarriers.end())
    fail("mbarrier init at %s:%d: it is initialised since %s:%d", file, line, at->second.file, at->second.line);
  race_mbarrier_init(address, code);
  Mbarrier& barrier = mbarriers[address];
  barrier.rank = machine.current->block->rank;
  barrier.count = barrier.pending = count;
  barrier.file = file;
  barrier.line = line;
  const std::uint64_t token = token_of(address);
  std::memcpy(address, &token, sizeof token);
}

void mbarrier_init_fence(const char* file, int line) {
  if (!in_kernel()) fail("mbarrier_init_fence at %s:%d outside a kernel", file, line);
  race_init_fence();
}

void mbarrier_inval(void* address, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  const Mbarrier& barrier = find_own(address, "mbarrier inval", file, line);
  if (!barrier.waiting.empty())
    fail("mbarrier inval at %s:%d: a thread waits for it at %s:%d", file, line, barrier.waiting[0]->file,
         barrier.waiting[0]->line);
  if (barrier.bytes || barrier.filled > barrier.waited)
    fail("mbarrier inval at %s:%d: bytes are on their way, or nobody has waited for them (%s)", file, line,
         state_of(barrier).c_str());
  race_mbarrier_inval(address, code);
  mbarriers.erase(address);
  std::memset(address, 0, 8);
}

void mbarrier_arrive(void* address, unsigned expected, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  if (in_kernel()) yield();  // a natural place to be overtaken
  find(address, "mbarrier arrive", file, line);
  race_mbarrier_arrive(address, code);  // may give way, too
  Mbarrier& barrier = find(address, "mbarrier arrive", file, line);
  if (!barrier.pending)
    fail("mbarrier arrive at %s:%d: one more than the phase waits for (%s)", file, line, state_of(barrier).c_str());
  barrier.bytes += expected;
  if (barrier.bytes > kMaxCount)
    fail("mbarrier arrive at %s:%d: %lld bytes expected, at most %lld can be", file, line,
         static_cast<long long>(barrier.bytes), static_cast<long long>(kMaxCount));
  barrier.from_peer |= machine.current->block->rank != barrier.rank;
  --barrier.pending;
  turn_if_over(address, barrier);
}

void mbarrier_wait(const void* address, unsigned parity, Scope scope, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  if (in_kernel()) yield();
  Mbarrier& barrier = begin_wait(address, parity, code, file, line);
  if (!is_over(barrier, parity)) {
    const std::uint64_t awaited = barrier.phase;
    barrier.waiting.push_back(machine.current);
    machine.current->awaits = address;
    block_here(Wait::mbarrier, file, line);
    if (barrier.phase != awaited + 1)
      fail("mbarrier wait at %s:%d: the phase waited for was over, and the next one too before this thread went on",
           file, line);
  }
  pass(address, barrier, scope, file, line);
}

bool mbarrier_try_wait(const void* address, unsigned parity, Scope scope, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  Mbarrier* barrier = &begin_wait(address, parity, code, file, line);
  if (!is_over(*barrier, parity)) {
    pause();
    barrier = &find_own(address, "mbarrier wait", file, line);
    if (!is_over(*barrier, parity)) return false;
  }
  pass(address, *barrier, scope, file, line);
  return true;
}

void begin_cluster_mbarriers() { mbarriers.clear(); }

void end_block_mbarriers(const Block& block) {
  for (const auto& [address, barrier] : mbarriers)
    if (barrier.rank == block.rank && barrier.filled > barrier.waited)
      fail(
          "exit: the last thread of rank %u exits, and none has waited for bytes that landed in its shared memory (%s)",
          block.rank, state_of(barrier).c_str());
}

std::string describe_mbarrier(const void* address) {
  const auto at = mbarriers.find(address);
  return at == mbarriers.end() ? "not initialised" : state_of(at->second);
}

}  // namespace plusmax::simt
