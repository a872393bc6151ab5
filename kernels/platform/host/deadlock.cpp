// Who waits where when nobody can go on.
#include "kernels/platform/host/machine.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace plusmax::simt {
namespace {

// Threads of a block that wait for the same thing at the same place.
struct Waiting {
  const Fiber* first;
  unsigned count;
  bool takes(const Fiber& fiber) const {
    if (fiber.wait != first->wait) return false;
    return fiber.wait == Wait::done ||
           (fiber.line == first->line && fiber.file == first->file && fiber.awaits == first->awaits);
  }
};

std::string describe(const Waiting& waiting, unsigned rank) {
  static constexpr const char* kPlace[] = {
      "", "__syncthreads", "a warp collective", "a cluster barrier", "an mbarrier", "a named barrier"};
  const Fiber& first = *waiting.first;
  const std::string who = "; rank " + std::to_string(rank) + ": " + std::to_string(waiting.count);
  if (first.wait == Wait::done) return who + " have exited";
  return who + " wait at " + kPlace[int(first.wait)] + " (" + first.file + ":" + std::to_string(first.line) + ")" +
         (first.wait == Wait::mbarrier ? ", " + describe_mbarrier(first.awaits) : "");
}

}  // namespace

void describe_deadlock() {
  machine.error = "deadlock: no thread can run";
  machine.failed = true;
  for (unsigned b = 0; b < machine.blocks; ++b) {
    std::vector<Waiting> groups;
    for (unsigned i = 0; i < machine.block[b].threads; ++i) {
      const Fiber& fiber = machine.fiber[b * kMaxThreads + i];
      const auto group =
          std::find_if(groups.begin(), groups.end(), [&](const Waiting& waiting) { return waiting.takes(fiber); });
      if (group == groups.end())
        groups.push_back({&fiber, 1});
      else
        ++group->count;
    }
    for (const Waiting& waiting : groups) machine.error += describe(waiting, b);
  }
}

}  // namespace plusmax::simt
