#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/order.hpp"

#include "kernels/platform/host/race/agents.hpp"
#include "kernels/platform/host/race/detector.hpp"
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/race/peers.hpp"

#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plusmax::simt {
namespace race {
namespace {

struct OfThread : Learned {
  Knowledge seen;        // read by relaxed atomics: acquired by the next fence
  bool touched = false;  // listed in Tables::touched
  bool fenced = false;
  Snapshot fence{};  // what a relaxed atomic releases since then
};

// One entry per thread, warp and block of the cluster that runs. `active`: some entry is not empty.
struct Tables {
  std::vector<OfThread> thread{std::size_t(kMaxCluster) * kMaxThreads};
  std::vector<Learned> warp{std::size_t(kMaxCluster) * kMaxWarps};
  Learned block[kMaxCluster], block_next[kMaxCluster], cluster, cluster_next;
  bool active = false;
  std::vector<unsigned> touched;                           // threads whose entry must be cleared
  std::deque<Log> logs;                                    // of this launch
  std::unordered_map<const volatile void*, Log*> current;  // the release sequence of an address
};
Tables& tables() {
  static Tables all;
  return all;
}

OfThread& entry_of(unsigned fiber) {
  Tables& all = tables();
  OfThread& entry = all.thread[fiber];
  if (!entry.touched) all.touched.push_back(fiber);
  entry.touched = all.active = true;
  return entry;
}
OfThread& own() { return entry_of(fiber_index(machine.current)); }
Learned& of_warp(const Fiber* fiber) { return tables().warp[fiber_index(fiber) / kWarpSize]; }

void add_all_of(Learned& to, const Fiber* fiber) {
  Tables& all = tables();
  to.add(all.thread[fiber_index(fiber)]);
  to.add(of_warp(fiber));
  to.add(all.block[fiber->block->rank]);
  to.add(all.cluster);
}

Snapshot snapshot(const Fiber* fiber) {
  Learned learned;
  add_all_of(learned, fiber);
  return {machine.cluster_start,  ++machine.now,      fiber->warp->last_sync,      fiber->block->last_sync,
          cluster_sync_of(fiber), fiber_index(fiber), std::move(learned.acquired), std::move(learned.clock)};
}

template <class F>
bool any_level(const Fiber* fiber, F&& test) {
  const Tables& all = tables();
  return test(all.thread[fiber_index(fiber)]) || test(of_warp(fiber)) || test(all.block[fiber->block->rank]) ||
         test(all.cluster);
}

// Nor does it order what a thread did after its arrival.
bool is_before_cluster_barrier(Time time, unsigned who) {
  if (time < machine.cluster_prior_sync) return true;
  return time < cluster_sync_of(machine.current) &&
         time < machine.fiber[who].arrived_at[(machine.cluster_generation - 1) & 1];
}

}  // namespace

// A barrier that is complete orders nothing for a thread that has arrived and has yet to wait.
Time cluster_sync_of(const Fiber* fiber) {
  const bool behind = fiber->has_arrived && fiber->cluster_generation != machine.cluster_generation;
  return behind ? machine.cluster_prior_sync : machine.cluster_last_sync;
}

void Learned::add(const Learned& more) {
  acquired.add(more.acquired);
  clock = join(clock, more.clock);
  launch_before |= more.launch_before;
}

bool Learned::covers(Time time, unsigned who) const {
  return (clock && time >= machine.cluster_start && clock->covers(time, who)) || acquired.covers(time, who);
}

Learned learned_by(const Fiber* fiber) {
  Learned all;
  if (tables().active) add_all_of(all, fiber);
  return all;
}

Learned known_by(const Fiber* fiber) {
  Learned all = learned_by(fiber);
  const unsigned self = fiber_index(fiber);
  all.clock = join(all.clock, clock_of({{self, ++machine.now},
                                        {key_of_warp(self), fiber->warp->last_sync},
                                        {key_of_block(self), fiber->block->last_sync},
                                        {kKeyOfCluster, cluster_sync_of(fiber)}}));
  return all;
}

void teach(const Fiber* fiber, const Learned& more) { entry_of(fiber_index(fiber)).add(more); }

bool is_ordered(Time time, unsigned who, bool shared) {
  const Fiber* self = machine.current;
  const Tables& all = tables();
  if (time < machine.launch_start) {
    if (!machine.grid.programmatic || shared || time < machine.previous_launch) return true;
    return all.active && any_level(self, [](const Learned& learned) { return learned.launch_before; });
  }
  if (time < machine.cluster_start) {
    if (shared) return true;
  } else if (!is_agent(who)) {
    const unsigned me = fiber_index(self);
    if (who == me || is_before_cluster_barrier(time, who)) return true;
    if (who / kMaxThreads == me / kMaxThreads && time < self->block->last_sync) return true;
    if (who / kWarpSize == me / kWarpSize && time < self->warp->last_sync) return true;
  }
  return all.active && any_level(self, [&](const Learned& learned) { return learned.covers(time, who); });
}

}  // namespace race

using namespace race;

void race_launch() {
  Tables& all = tables();
  all.current.clear();
  all.logs.clear();
  start_launch();
}

void race_cluster() {
  forget_peers();
  forget_agents();
  Tables& all = tables();
  if (!all.active) return;
  for (unsigned fiber : all.touched) all.thread[fiber] = {};
  all.touched.clear();
  for (Learned& warp : all.warp) warp = {};
  for (unsigned b = 0; b < kMaxCluster; ++b) all.block[b] = all.block_next[b] = {};
  all.cluster = all.cluster_next = {};
  all.active = false;
}

void race_block_arrive(Fiber* fiber) {
  Tables& all = tables();
  if (!all.active) return;
  Learned& next = all.block_next[fiber->block->rank];
  next.add(all.thread[fiber_index(fiber)]);
  next.add(of_warp(fiber));
}

void race_block_release(Block* block) {
  Tables& all = tables();
  if (!all.active) return;
  all.block[block->rank].add(all.block_next[block->rank]);
  all.block_next[block->rank] = {};
}

void race_cluster_arrive(Fiber* fiber) {
  if (tables().active) add_all_of(tables().cluster_next, fiber);
}

void race_cluster_release() {
  Tables& all = tables();
  if (!all.active) return;
  all.cluster.add(all.cluster_next);
  all.cluster_next = {};
}

void race_warp_sync(Warp* warp, Block* block, std::uint32_t part) {
  Tables& all = tables();
  const unsigned first = block->rank * kMaxThreads + unsigned(warp - block->warp) * kWarpSize;
  if (part == warp->live) {  // the whole warp: its time is enough
    warp->last_sync = ++machine.now;
    if (!all.active) return;
    for (std::uint32_t rest = part; rest; rest &= rest - 1)
      all.warp[first / kWarpSize].add(all.thread[first + unsigned(__builtin_ctz(rest))]);
    return;
  }
  // Some lanes: each releases and all of them acquire.
  Log& log = all.logs.emplace_back();
  for (std::uint32_t rest = part; rest; rest &= rest - 1)
    log.append(snapshot(&machine.fiber[first + unsigned(__builtin_ctz(rest))]));
  for (std::uint32_t rest = part; rest; rest &= rest - 1)
    entry_of(first + unsigned(__builtin_ctz(rest))).acquired.add({&log, log.releases.size()});
}

void race_atomic(const volatile void* where, std::size_t bytes, Access kind, Order order, const void* code) {
  access(where, bytes, kind != Access::load, true, code);
  Tables& all = tables();
  const auto found = all.current.find(where);
  Log* log = found == all.current.end() ? nullptr : found->second;
  const bool acquires = order == Order::acquire || order == Order::acq_rel;
  const bool releases = order == Order::release || order == Order::acq_rel;
  if (kind != Access::store && log) {
    OfThread& self = own();
    (acquires ? self.acquired : self.seen).add({log, log->releases.size()});
  }
  if (kind == Access::load) return;
  const OfThread& self = all.thread[fiber_index(machine.current)];
  if (kind == Access::store) log = nullptr;  // it begins a new release sequence
  if (!releases && !self.fenced) {
    if (kind == Access::store) all.current.erase(where);
    return;
  }
  if (!log) log = all.current[where] = &all.logs.emplace_back();
  log->append(releases ? snapshot(machine.current) : self.fence);
}

void race_fence() {
  OfThread& self = own();
  self.acquired.add(self.seen);
  self.fence = snapshot(machine.current);
  self.fenced = true;
}

void race_grid_dependency_wait() { own().launch_before = true; }

}  // namespace plusmax::simt

#endif  // PLUSMAX_RACE
