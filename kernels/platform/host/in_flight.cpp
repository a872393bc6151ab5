#include "kernels/platform/host/in_flight.hpp"

#include "kernels/platform/host/mbarrier.hpp"
#include "kernels/platform/host/race/hooks.hpp"

#include <cstring>
#include <utility>

namespace plusmax::simt {
namespace {

std::vector<Operation> operations;  // in the order of their issue
// Apart from the schedule's: kernels without copies run as they did before there were any.
std::uint64_t random_state = 0;
unsigned land_chance = 0;  // of 256, whenever a thread gives way

std::uint64_t draw() { return mix_random(random_state += 0x9E3779B97F4A7C15ull); }

void read(Operation& operation) {
  operation.value.assign(operation.from, operation.from + operation.bytes);
  operation.read = true;
}

// One step: a store reads its source and writes later, everything else does both at once.
void advance(std::size_t index) {
  Operation& operation = operations[index];
  machine.idle_pauses = 0;
  if (!operation.read) {
    read(operation);
    if (operation.kind == Operation::Kind::store) return;
  }
  if (operation.bytes) std::memcpy(operation.to, operation.value.data(), operation.bytes);
  const Operation landed = std::move(operation);
  operations.erase(operations.begin() + std::ptrdiff_t(index));
  machine.in_flight = unsigned(operations.size());
  if (landed.kind == Operation::Kind::store) return;
  race_landed(landed);
  complete_bytes(landed.barrier, landed.bytes, landed.fiber / kMaxThreads, name_of(landed.kind), landed.file,
                 landed.line);
}

std::size_t choose() {
  const Policy policy = options().policy;
  return policy == Policy::forward ? 0 : policy == Policy::reverse ? operations.size() - 1 : draw() % operations.size();
}

}  // namespace

const char* name_of(Operation::Kind kind) {
  return kind == Operation::Kind::load ? "bulk load" : kind == Operation::Kind::store ? "bulk store" : "store_async";
}

void issue(Operation operation, const void* code) {
  operation.id = ++machine.now;
  race_issue(operation, code);
  if (options().poison_shared && operation.kind != Operation::Kind::store)
    std::memset(operation.to, shared_poison(), operation.bytes);
  operations.push_back(std::move(operation));
  machine.in_flight = unsigned(operations.size());
}

void land_stores(unsigned fiber, std::uint64_t before, bool read_only) {
  for (std::size_t i = 0; i < operations.size();) {
    Operation& operation = operations[i];
    if (operation.kind != Operation::Kind::store || operation.fiber != fiber || operation.id >= before ||
        (read_only && operation.read))
      ++i;
    else
      advance(i);
  }
}

void land_something() {
  if (options().policy == Policy::random && draw() % 256 < land_chance) advance(choose());
  while (machine.in_flight && !machine.ready_blocks) advance(choose());
}

void land_one() { advance(choose()); }

void begin_launch_in_flight() {
  random_state = options().seed * 0xD1342543DE82EF95ull + 0x2545F49;
  constexpr unsigned kChance[4] = {0, 4, 32, 128};
  land_chance = kChance[draw() & 3];
}

void begin_cluster_in_flight() {
  operations.clear();
  machine.in_flight = 0;
}

void end_block_in_flight(const Block& block) {
  for (const Operation& operation : operations)
    if (operation.kind != Operation::Kind::store && block_of_shared(operation.to) == &block)
      fail("exit: the last thread of rank %u exits before the %s issued at %s:%d has landed in its shared memory",
           block.rank, name_of(operation.kind), operation.file, operation.line);
}

}  // namespace plusmax::simt
