// What a release over an mbarrier or a named barrier hands over, folded: until when everything is known that a thread,
// a warp, a block or the cluster did. A log (knowledge.hpp) would grow with every turn of a ring. Clocks do not change
// and are shared by all who know the same; they speak of the cluster that runs.
#pragma once

#include "kernels/platform/host/runtime.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace plusmax::simt::race {

using Time = std::uint64_t;

// Who did something: a thread by its number in the cluster, or an asynchronous agent. Barriers order no agent's doings.
constexpr unsigned kFirstAgent = kMaxCluster * kMaxThreads, kAgents = kFirstAgent;
constexpr bool is_agent(unsigned who) { return who >= kFirstAgent; }

// Whose doings an entry speaks of: one thread or agent, or all threads of a group.
constexpr unsigned key_of_warp(unsigned fiber) { return kFirstAgent + kAgents + fiber / kWarpSize; }
constexpr unsigned key_of_block(unsigned fiber) { return key_of_warp(kMaxCluster * kMaxThreads) + fiber / kMaxThreads; }
constexpr unsigned kKeyOfCluster = key_of_block(kMaxCluster * kMaxThreads);

using ClockEntry = std::pair<unsigned, Time>;
struct Clock {
  std::vector<ClockEntry> entries;  // by key
  bool covers(Time time, unsigned who) const;
};
using ClockPtr = std::shared_ptr<const Clock>;  // null: nothing is known

// All that either knows.
ClockPtr join(const ClockPtr&, const ClockPtr&);
ClockPtr clock_of(std::vector<ClockEntry>);

}  // namespace plusmax::simt::race
