// Which earlier accesses are ordered before the running thread's next step.
#pragma once

#include "kernels/platform/host/machine.hpp"
#include "kernels/platform/host/race/clock.hpp"
#include "kernels/platform/host/race/knowledge.hpp"

namespace plusmax::simt::race {

// The access was made at `time` by `who` of the cluster that ran then; `shared`: to shared memory, which does not
// outlive its cluster.
bool is_ordered(Time time, unsigned who, bool shared);

// The last cluster barrier that the thread has waited for.
Time cluster_sync_of(const Fiber*);

// What a thread, or all threads of a group, know beyond barriers.
struct Learned {
  Knowledge acquired;
  ClockPtr clock;
  bool launch_before = false;  // grid_dependency_wait() has returned
  void add(const Learned&);
  bool covers(Time time, unsigned who) const;
};

// What a thread and its groups have learned.
Learned learned_by(const Fiber*);
// The same, with what barriers ordered and what the thread did until now: to be handed over.
Learned known_by(const Fiber*);
void teach(const Fiber*, const Learned&);

}  // namespace plusmax::simt::race
