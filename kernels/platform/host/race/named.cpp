// Named barriers: whole warps hand over what they know, and those that wait take it.
#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/async.hpp"
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/race/order.hpp"

namespace plusmax::simt {
namespace {

race::Learned arriving[kMaxCluster][kNamedBarriers];

template <class Visit>
void for_each_lane(const Block& block, unsigned warp, Visit&& visit) {
  for (std::uint32_t rest = block.warp[warp].live; rest; rest &= rest - 1)
    visit(&machine.fiber[block.rank * kMaxThreads + warp * kWarpSize + unsigned(__builtin_ctz(rest))]);
}

}  // namespace

void race_named_begin(unsigned rank, unsigned id) { arriving[rank][id] = {}; }

// All lanes have come: one time stands for what each of them did.
void race_named_arrive(const Block& block, unsigned warp, unsigned id) {
  race::Learned& all = arriving[block.rank][id];
  for_each_lane(block, warp, [&](const Fiber* lane) { all.add(race::learned_by(lane)); });
  const unsigned first = block.rank * kMaxThreads + warp * kWarpSize;
  all.clock = join(all.clock, race::clock_of({{race::key_of_warp(first), ++machine.now},
                                              {race::key_of_block(first), block.last_sync},
                                              {race::kKeyOfCluster, race::cluster_sync_of(machine.current)}}));
}

void race_named_release(const Block& block, unsigned id, std::uint32_t waiting_warps) {
  race::Learned& all = arriving[block.rank][id];
  for (std::uint32_t rest = waiting_warps; rest; rest &= rest - 1)
    for_each_lane(block, unsigned(__builtin_ctz(rest)), [&](const Fiber* lane) { race::teach(lane, all); });
  all = {};
}

}  // namespace plusmax::simt

#endif  // PLUSMAX_RACE
