// The ways in which a launch is repeated: none of them may change a bit.
#pragma once

#include "properties/execution.hpp"
#include "properties/random.hpp"

#include <cstdint>

namespace plusmax::properties {

struct Way {
  const char* name;
  Schedule schedule;
  std::uint64_t seed;
  unsigned char workspace;  // what it held
  bool captured = false;
};
inline constexpr Way kWays[] = {{"again", Schedule::forward, 0, 0xA7},
                                {"from a graph", Schedule::forward, 0, 0xA7, true},
                                {"in reverse", Schedule::reverse, 0, 0x00},
                                {"workspace of ones", Schedule::forward, 0, 0xFF},
                                {"at random 1", Schedule::random, 1, 0x00},
                                {"at random 2", Schedule::random, 2, 0xFF},
                                {"at random 3", Schedule::random, 3, 0x3F}};
inline constexpr const Way &kAgain = kWays[0], &kInReverse = kWays[2];

inline Execution in_way(const Subject& subject, const Way& way) {
  Execution execution = execution_of(subject);
  execution.schedule = way.schedule;
  execution.schedule_seed = mix(subject.schedule_seed, way.seed);
  execution.workspace_fill = way.workspace;
  execution.captured = way.captured;
  return execution;
}

}  // namespace plusmax::properties
