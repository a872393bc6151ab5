// What a thread knows beyond barriers: the releases that it has acquired, and what came before those.
//
// Barriers need no table: an access is stamped with the time it was made at, each completed barrier draws a new time,
// and an access is ordered before a thread's next step if a barrier of the smallest group that holds both threads
// completed after it. A release writes down these times as they stand for the releasing thread (a Snapshot) at the end
// of a Log, the release sequence of one address; an acquire notes how long that log was (a Prefix). The blocks of a
// grid run one after another, so a time alone tells which cluster an access was made in.
#pragma once

#include "kernels/platform/host/race/clock.hpp"

#include <cstddef>
#include <vector>

namespace plusmax::simt::race {

struct Log;

// The first `count` releases of a log.
struct Prefix {
  const Log* log;
  std::size_t count;
};

class Knowledge {
 public:
  bool empty() const { return prefixes_.empty(); }
  void clear() { prefixes_.clear(); }
  void add(Prefix);
  void add(const Knowledge&);
  void forget(const Log*);
  // Was the access that thread `fiber` of its cluster made at `time` before one of these releases?
  bool covers(Time time, unsigned fiber) const;

 private:
  bool covers(Time time, unsigned fiber, std::vector<Prefix>& seen) const;
  std::vector<Prefix> prefixes_;
};

// What is before a release: of the thread itself everything until `self`, of its warp, block and cluster what their
// last barrier ordered, and what had been acquired.
struct Snapshot {
  Time cluster_start, self, warp, block, cluster;
  unsigned fiber;
  Knowledge acquired;
  ClockPtr clock;
  bool covers(Time time, unsigned other) const;
};

// One release sequence: a store, or the first update, and the updates that follow.
struct Log {
  std::vector<Snapshot> releases;   // cluster_start never falls
  std::vector<std::size_t> linked;  // of these, the ones with something acquired from other logs
  void append(Snapshot);
};

}  // namespace plusmax::simt::race
