// Happens-before checks of every access that instrumented kernels make. Verdicts do not depend on the schedule that
// ran.
#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/detector.hpp"

#include "kernels/platform/host/race/code.hpp"
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/race/order.hpp"
#include "kernels/platform/host/race/peers.hpp"
#include "kernels/platform/host/race/shadow.hpp"

#include <string>

namespace plusmax::simt::race {
namespace {

unsigned countdown = 1;       // accesses until the next forced switch
std::uint32_t forgetful = 1;  // which of too many readers is forgotten; apart from the schedule's random numbers

struct Target {
  const char* name;
  std::ptrdiff_t offset;  // in bytes, of the first cell
  bool shared;
};

bool ordered(Record earlier, bool shared) { return is_ordered(time_of(earlier), who_of(earlier), shared); }

std::string name_of(Record other) {
  const unsigned who = who_of(other);
  if (is_agent(who)) return "an asynchronous copy, issued";
  return "thread " + std::to_string(who % kMaxThreads) + " of rank " + std::to_string(who / kMaxThreads);
}

[[noreturn]] void report(const char* what, const Target& target, std::size_t cell, Record other, const void* code,
                         const void* other_code) {
  const Time time = time_of(other);
  const char* where = time < machine.launch_start    ? " in the launch before, and no grid_dependency_wait() between"
                      : time < machine.cluster_start ? " in another cluster, and no release and acquire between"
                      : is_agent(who_of(other))      ? ", and nothing waited for it"
                                                     : ", and nothing orders the two";
  fail("race: %s on '%s' byte %td at %s; before it %s at %s%s", what, target.name,
       target.offset + std::ptrdiff_t(cell * kGrain), describe_code(code).c_str(), name_of(other).c_str(),
       describe_code(other_code).c_str(), where);
}

void check_write(Cell& cell, Record me, const Target& target, std::size_t index, const void* code) {
  for (Record reader : cell.read)
    if (reader && !(is_atomic(me) && is_atomic(reader)) && !ordered(reader, target.shared))
      report("write after read", target, index, reader, code, cell.read_code);
  cell.write = me;
  cell.write_code = code;
  cell.read[0] = cell.read[1] = cell.read[2] = 0;
}

void note_read(Cell& cell, Record me, const Target& target, const void* code) {
  Record* slot = nullptr;
  for (Record& reader : cell.read) {
    if (reader == me) return;
    if (!slot && (!reader || ordered(reader, target.shared))) slot = &reader;
  }
  if (!slot) {  // more than three unordered readers
    forgetful = forgetful * 1664525u + 1013904223u;
    slot = &cell.read[(forgetful >> 16) % 3];
  }
  *slot = me;
  cell.read_code = code;
}

void touch(Cell* cells, std::size_t count, bool write, Record me, const Target& target, const void* code) {
  for (std::size_t i = 0; i < count; ++i) {
    Cell& cell = cells[i];
    if (cell.write == me && write) continue;
    if (cell.write && cell.write != me && !(is_atomic(me) && is_atomic(cell.write)) &&
        !ordered(cell.write, target.shared))
      report(write ? "write after write" : "read after write", target, i, cell.write, code, cell.write_code);
    if (target.shared && !write && time_of(cell.write) < machine.cluster_start)
      fail("uninitialised: '%s' byte %td is read at %s, but nothing in the block's life wrote it", target.name,
           target.offset + std::ptrdiff_t(i * kGrain), describe_code(code).c_str());
    if (write)
      check_write(cell, me, target, i, code);
    else
      note_read(cell, me, target, code);
  }
}

std::size_t cells_of(const char* address, std::size_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(address) % kGrain + bytes + kGrain - 1) / kGrain;
}

void preempt() {
  if (!options().preempt_every || --countdown) return;
  countdown = 1 + unsigned(next_random() % (2 * options().preempt_every));
  reschedule();
}

void touch_shared(const char* address, std::size_t bytes, bool write, Record me, const void* code) {
  const std::ptrdiff_t offset = address - arena_base();
  const unsigned rank = unsigned(offset / std::ptrdiff_t(kArena));
  if (rank != machine.current->block->rank && rank < machine.blocks) {
    if (cluster_sync_of(machine.current) == machine.cluster_start)
      fail("DSMEM: rank %u is accessed at %s before any cluster barrier: it may not have started", rank,
           describe_code(code).c_str());
    if (!is_agent(who_of(me))) note_peer_access(rank);
  }
  const Target target{"shared memory", address - machine.block[rank].shared, true};
  touch(arena_cells() + offset / std::ptrdiff_t(kGrain), cells_of(address, bytes), write, me, target, code);
}

void touch_buffer(const Region& region, const char* address, std::size_t bytes, bool write, Record me,
                  const void* code) {
  const HostBuffer& buffer = *region.buffer;
  if (!inside_line(region, address, bytes)) {
    char text[400];
    buffer.describe(inside_line(region, address, 1) ? region.line_high : address, write, text, sizeof text);
    fail("%s, at %s", text, describe_code(code).c_str());
  }
  if (buffer.sealed() && !write) return;  // nobody can write it
  const std::size_t first = std::size_t(address - region.low) / kGrain;
  touch(region.cells + first, cells_of(address, bytes), write, me,
        {buffer.name(), address - static_cast<const char*>(buffer.data()), false}, code);
}

}  // namespace

void access(const volatile void* where, std::size_t bytes, bool write, bool atomic, const void* code) {
  if (!in_kernel() || bytes == 0) return;
  const char* address = static_cast<const char*>(const_cast<const void*>(where));
  const Stack& stack = machine.current->stack;
  if (address >= stack.base && address < stack.base + stack.bytes) return;  // its own variables
  const bool shared = address >= arena_base() && address < arena_base() + kArena * kMaxCluster;
  const Region* region = shared ? nullptr : find_region(address);
  if (!shared && !region) return;  // parameters and constants; anything else faults by itself
  ++stats().accesses;
  preempt();
  const Record me = make_record(machine.now, fiber_index(machine.current), atomic);
  if (shared)
    touch_shared(address, bytes, write, me, code);
  else
    touch_buffer(*region, address, bytes, write, me, code);
}

void access_by_agent(unsigned agent, const void* where, std::size_t bytes, bool write, const void* code) {
  const char* address = static_cast<const char*>(where);
  const Record me = make_record(machine.now, agent, false);
  if (address >= arena_base() && address < arena_base() + kArena * kMaxCluster)
    touch_shared(address, bytes, write, me, code);
  else if (const Region* region = find_region(address))
    touch_buffer(*region, address, bytes, write, me, code);
}

void start_launch() {
  countdown = options().preempt_every ? 1 + unsigned(next_random() % (2 * options().preempt_every)) : 1;
  forgetful = 1;
}

}  // namespace plusmax::simt::race

#endif  // PLUSMAX_RACE
