#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/peers.hpp"

#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/race/order.hpp"

#include <unordered_map>

namespace plusmax::simt {
namespace race {
namespace {

// Of each block: who touched its memory and when last, without what one of its threads knew when it exited.
std::unordered_map<unsigned, Time> touched[kMaxCluster];
Time* last_noted = nullptr;
unsigned last_rank = 0, last_fiber = 0;

}  // namespace

void note_peer_access(unsigned rank) {
  const unsigned fiber = fiber_index(machine.current);
  if (!last_noted || last_rank != rank || last_fiber != fiber) {
    last_noted = &touched[rank][fiber];
    last_rank = rank;
    last_fiber = fiber;
  }
  *last_noted = machine.now;
}

void forget_peers() {
  last_noted = nullptr;
  for (auto& of_block : touched) of_block.clear();
}

}  // namespace race

void race_exit(Fiber* fiber) {
  const Block& block = *fiber->block;
  auto& open = race::touched[block.rank];
  if (open.empty()) return;
  race::last_noted = nullptr;
  std::erase_if(open, [](const auto& entry) { return race::is_ordered(entry.second, entry.first, true); });
  if (block.live == 1 && !open.empty())
    fail(
        "DSMEM: the last thread of rank %u exits, and nothing orders that after a peer's access to its shared memory: "
        "no cluster barrier, no wait for an arrival",
        block.rank);
}

}  // namespace plusmax::simt

#endif  // PLUSMAX_RACE
