#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/agents.hpp"

#include "kernels/platform/host/in_flight.hpp"
#include "kernels/platform/host/race/code.hpp"
#include "kernels/platform/host/race/detector.hpp"
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/race/order.hpp"
#include "kernels/platform/host/race/shadow.hpp"

#include <algorithm>
#include <unordered_map>

namespace plusmax::simt {
namespace race {
namespace {

// The copies that complete on one mbarrier are one agent's: a phase that is over knows all that landed in it.
struct OfMbarrier {
  unsigned agent = 0;
  Time made = 0;  // by thread `maker`
  unsigned maker = 0;
  Learned arriving, complete;  // handed over in the phase that runs, and in those before it
};
// Bulk stores read and write by two agents a thread, as wait_group.read waits for the first only.
struct OfIssuer {
  unsigned reads = 0, writes = 0;
};

struct Agents {
  unsigned count = 0;
  std::unordered_map<const void*, OfMbarrier> mbarrier;
  std::unordered_map<unsigned, OfIssuer> issuer;
  std::unordered_map<std::uint64_t, Learned> issued;       // by Operation::id
  std::unordered_map<unsigned, Time> fenced, init_fenced;  // a thread's last fence_proxy_async(), mbarrier_init_fence()
};
Agents& agents() {
  static Agents all;
  return all;
}

// After so many in one cluster an old agent takes over, and what is known of it passes for known of the new one.
unsigned new_agent() { return kFirstAgent + agents().count++ % kAgents; }

OfIssuer& issuer_of(unsigned fiber) {
  OfIssuer& issuer = agents().issuer[fiber];
  if (!issuer.reads) issuer = {new_agent(), new_agent()};
  return issuer;
}

Time last(const std::unordered_map<unsigned, Time>& fences, unsigned fiber) {
  const auto at = fences.find(fiber);
  return at == fences.end() ? 0 : at->second;
}
Time fence_of(unsigned fiber) { return last(agents().fenced, fiber); }

// A bulk copy comes after what a thread stored to shared memory only if that thread, or the issuer after it, has called
// fence_proxy_async() since: copies go another way to memory than stores do.
void check_fenced(const char* what, const char* address, std::size_t bytes, const void* code) {
  const Time own = fence_of(fiber_index(machine.current));
  const Block* block = block_of_shared(address);
  const Cell* cell = arena_cells() + (address - arena_base()) / std::ptrdiff_t(kGrain);
  for (std::size_t i = 0; i < bytes / kGrain; ++i) {
    const Time written = time_of(cell[i].write);
    const unsigned who = who_of(cell[i].write);
    if (is_agent(who) || written < machine.cluster_start || std::max(own, fence_of(who)) > written) continue;
    fail(
        "race: the bulk %s 'shared memory' byte %td at %s, stored to at %s by thread %u of rank %u, and no "
        "fence_proxy_async() is between",
        what, address - block->shared + std::ptrdiff_t(i * kGrain), describe_code(code).c_str(),
        describe_code(cell[i].write_code).c_str(), who % kMaxThreads, who / kMaxThreads);
  }
}

// So it is with the barrier that a copy counts on, for which mbarrier_init_fence() is enough.
void check_init_fenced(const Operation& operation, const OfMbarrier& mbarrier, const void* code) {
  const Time fence = std::max(
      {last(agents().init_fenced, mbarrier.maker), fence_of(mbarrier.maker), fence_of(fiber_index(machine.current))});
  if (fence > mbarrier.made) return;
  fail("race: the %s at %s counts on an mbarrier, and no mbarrier_init_fence() is between its init() and that",
       name_of(operation.kind), describe_code(code).c_str());
}

}  // namespace

void forget_agents() {
  const Agents& all = agents();
  if (all.count || !all.fenced.empty() || !all.init_fenced.empty()) agents() = {};
}

}  // namespace race

using namespace race;

void race_mbarrier_init(const void* barrier, const void* code) {
  access(barrier, 8, true, false, code);
  agents().mbarrier[barrier] = {new_agent(), ++machine.now, fiber_index(machine.current), {}, {}};
}

void race_mbarrier_inval(const void* barrier, const void* code) { access(barrier, 8, true, false, code); }

void race_mbarrier_arrive(const void* barrier, const void* code) {
  access(barrier, 8, true, true, code);
  agents().mbarrier[barrier].arriving.add(known_by(machine.current));
}

void race_mbarrier_look(const void* barrier, const void* code) { access(barrier, 8, false, true, code); }

void race_mbarrier_turn(const void* barrier) {
  OfMbarrier& mbarrier = agents().mbarrier[barrier];
  mbarrier.complete.add(mbarrier.arriving);
  mbarrier.arriving = {};
}

void race_mbarrier_pass(const void* barrier) { teach(machine.current, agents().mbarrier[barrier].complete); }

void race_issue(const Operation& operation, const void* code) {
  Agents& all = agents();
  if (operation.kind == Operation::Kind::store) {
    const OfIssuer issuer = issuer_of(operation.fiber);
    access_by_agent(issuer.reads, operation.from, operation.bytes, false, code);
    check_fenced("store reads", operation.from, operation.bytes, code);
    access_by_agent(issuer.writes, operation.to, operation.bytes, true, code);
    return;
  }
  if (operation.kind == Operation::Kind::load) check_fenced("load overwrites", operation.to, operation.bytes, code);
  const OfMbarrier& mbarrier = all.mbarrier[operation.barrier];
  check_init_fenced(operation, mbarrier, code);
  const unsigned agent = mbarrier.agent;
  if (operation.from) access_by_agent(agent, operation.from, operation.bytes, false, code);
  access_by_agent(agent, operation.to, operation.bytes, true, code);
  all.issued[operation.id] = known_by(machine.current);
}

void race_landed(const Operation& operation) {
  Agents& all = agents();
  const auto issued = all.issued.find(operation.id);
  if (issued == all.issued.end()) return;
  OfMbarrier& mbarrier = all.mbarrier[operation.barrier];
  mbarrier.arriving.add(issued->second);
  mbarrier.arriving.clock = join(mbarrier.arriving.clock, clock_of({{mbarrier.agent, operation.id + 1}}));
  all.issued.erase(issued);
}

void race_groups_done(std::uint64_t before, bool read_only) {
  const OfIssuer issuer = issuer_of(fiber_index(machine.current));
  Learned done;
  done.clock = clock_of({{issuer.reads, before}});
  if (!read_only) done.clock = join(done.clock, clock_of({{issuer.writes, before}}));
  teach(machine.current, done);
}

void race_init_fence() { agents().init_fenced[fiber_index(machine.current)] = ++machine.now; }
void race_proxy_fence() { agents().fenced[fiber_index(machine.current)] = ++machine.now; }

}  // namespace plusmax::simt

#endif  // PLUSMAX_RACE
