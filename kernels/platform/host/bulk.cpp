// Bulk copies and stores to a peer: what PTX demands of their operands, and the groups of bulk stores.
#include "kernels/platform/host/async.hpp"
#include "kernels/platform/host/in_flight.hpp"
#include "kernels/platform/host/mbarrier.hpp"
#include "kernels/platform/host/race/hooks.hpp"

#include <unordered_map>
#include <vector>

namespace plusmax::simt {
namespace {

// Of one thread: where its committed groups end (ids of operations), and its stores that it has not waited for.
struct Groups {
  struct Store {
    std::uint64_t id;
    const char* file;
    int line;
  };
  std::vector<std::uint64_t> ends;
  std::vector<Store> open;
};
std::unordered_map<unsigned, Groups> groups;

void check_aligned_to(const void* address, unsigned bytes, const char* which, const char* what, const char* file,
                      int line) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes)
    fail("%s at %s:%d: its %s %p is not aligned to %u bytes", what, file, line, which, address, bytes);
}

void check_bulk(const void* to, const void* from, unsigned bytes, const char* what, const char* file, int line) {
  if (!in_kernel()) fail("%s at %s:%d outside a kernel", what, file, line);
  check_aligned_to(to, 16, "destination", what, file, line);
  check_aligned_to(from, 16, "source", what, file, line);
  if (bytes % 16) fail("%s at %s:%d: %u bytes are no multiple of 16", what, file, line, bytes);
}

// Touches every page of it now, so that a fault names the thread that issues.
void probe(const void* address, unsigned bytes, bool write) {
  constexpr unsigned kPage = 4096;
  auto* at = static_cast<volatile char*>(const_cast<void*>(address));
  for (unsigned i = 0; i < bytes; i = i + kPage < bytes || i == bytes - 1 ? i + kPage : bytes - 1) {
    const char byte = at[i];
    if (write) at[i] = byte;
  }
}

// The block that receives, which must be the mbarrier's.
void check_receiver(const void* to, unsigned bytes, const void* barrier, const char* what, const char* file, int line) {
  const Block* block = block_of_shared(to);
  if (!block) fail("%s at %s:%d: its destination %p is not in shared memory", what, file, line, to);
  check_mbarrier(barrier, what, file, line);
  if (block != block_of_shared(barrier))
    fail("%s at %s:%d: its destination and its mbarrier are in different blocks", what, file, line);
  probe(to, bytes, true);
}

}  // namespace

void bulk_load(void* to, const void* from, unsigned bytes, void* barrier, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  constexpr const char* kWhat = "bulk load";
  check_bulk(to, from, bytes, kWhat, file, line);
  check_receiver(to, bytes, barrier, kWhat, file, line);
  if (block_of_shared(from)) fail("%s at %s:%d: its source is in shared memory", kWhat, file, line);
  probe(from, bytes, false);
  issue({Operation::Kind::load, static_cast<char*>(to), static_cast<const char*>(from), bytes, barrier,
         fiber_index(machine.current), file, line},
        code);
}

void store_async(void* to, const void* value, unsigned bytes, void* barrier, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  constexpr const char* kWhat = "store_async";
  if (!in_kernel()) fail("%s at %s:%d outside a kernel", kWhat, file, line);
  check_aligned_to(to, bytes, "destination", kWhat, file, line);
  check_receiver(to, bytes, barrier, kWhat, file, line);
  const char* bits = static_cast<const char*>(value);
  Operation operation{
      Operation::Kind::send, static_cast<char*>(to), nullptr, bytes, barrier, fiber_index(machine.current), file, line};
  operation.value.assign(bits, bits + bytes);
  operation.read = true;
  issue(std::move(operation), code);
}

void bulk_store(void* to, const void* from, unsigned bytes, const char* file, int line) {
  const void* code = __builtin_return_address(0);
  constexpr const char* kWhat = "bulk store";
  check_bulk(to, from, bytes, kWhat, file, line);
  if (block_of_shared(from) != machine.current->block)
    fail("%s at %s:%d: its source %p is not in this block's shared memory", kWhat, file, line, from);
  if (block_of_shared(to)) fail("%s at %s:%d: its destination is in shared memory", kWhat, file, line);
  probe(from, bytes, false);
  probe(to, bytes, true);
  const unsigned self = fiber_index(machine.current);
  issue({Operation::Kind::store, static_cast<char*>(to), static_cast<const char*>(from), bytes, nullptr, self, file,
         line},
        code);
  groups[self].open.push_back({machine.now, file, line});
}

void bulk_commit(const char* file, int line) {
  if (!in_kernel()) fail("bulk commit at %s:%d outside a kernel", file, line);
  groups[fiber_index(machine.current)].ends.push_back(++machine.now);
}

void bulk_wait(unsigned pending, bool read_only, const char* file, int line) {
  if (!in_kernel()) fail("bulk wait at %s:%d outside a kernel", file, line);
  yield();
  const unsigned self = fiber_index(machine.current);
  Groups& own = groups[self];
  if (own.ends.size() <= pending) return;
  const std::uint64_t before = own.ends[own.ends.size() - 1 - pending];
  land_stores(self, before, read_only);
  std::erase_if(own.open, [=](const Groups::Store& store) { return store.id < before; });
  race_groups_done(before, read_only);
}

void fence_proxy_async(const char* file, int line) {
  if (!in_kernel()) fail("fence_proxy_async at %s:%d outside a kernel", file, line);
  race_proxy_fence();
}

void begin_cluster_bulk() { groups.clear(); }

void end_thread_bulk(const Fiber* fiber) {
  const auto at = groups.find(fiber_index(fiber));
  if (at == groups.end() || at->second.open.empty()) return;
  const Groups::Store& store = at->second.open.front();
  fail("exit: a thread exits without having waited until the bulk store issued at %s:%d had read its source",
       store.file, store.line);
}

}  // namespace plusmax::simt
