// Schedules: repeatable, different where they should differ, harmless to clean kernels, and harmful to some unclean
// ones.
#include "tests/simt/clean_runs.hpp"

#include <set>
#include <vector>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

// Hash of the order in which threads ran.
std::uint64_t trace_of(Schedule schedule, std::uint64_t seed) {
  host_device().configure(schedule, seed, 0.f);
  simt::stats() = {};
  run_cluster_sum(Missing::nothing);
  run_last_block_sum(Missing::nothing, false);
  host_device().configure(Schedule::forward, 0, 0.f);
  return simt::stats().trace;
}

__global__ void order_of_blocks(unsigned* next, unsigned* place) {
  if (threadIdx.x == 0) place[blockIdx.x] = atomicAdd(next, 1u);
}

}  // namespace

TEST_CASE("schedule: the same seed runs the same threads in the same order", "[simt][schedule]") {
  for (Schedule schedule : {Schedule::forward, Schedule::reverse, Schedule::random})
    for (std::uint64_t seed : {0u, 1u, 12345u}) CHECK(trace_of(schedule, seed) == trace_of(schedule, seed));
}

TEST_CASE("schedule: other seeds and policies run other orders", "[simt][schedule]") {
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 0; seed < 40; ++seed) traces.insert(trace_of(Schedule::random, seed));
  traces.insert(trace_of(Schedule::forward, 0));
  traces.insert(trace_of(Schedule::reverse, 0));
  CHECK(traces.size() == 42);
  CHECK(trace_of(Schedule::forward, 0) == trace_of(Schedule::forward, 9));
}

TEST_CASE("schedule: blocks run forward, backward, or permuted", "[simt][schedule]") {
  const Array<unsigned> next(1), place(100);
  const auto places = [&](Schedule schedule, std::uint64_t seed) {
    next[0] = 0;
    host_device().configure(schedule, seed, 0.f);
    must_start(platform::launch({dim3(100), dim3(32)}, order_of_blocks, next.get(), place.get()));
    host_device().synchronize();
    host_device().configure(Schedule::forward, 0, 0.f);
    return std::vector<unsigned>(place.get(), place.get() + 100);
  };
  const auto forward = places(Schedule::forward, 0), reverse = places(Schedule::reverse, 0),
             random = places(Schedule::random, 3);
  for (unsigned b = 0; b < 100; ++b) {
    REQUIRE(forward[b] == b);
    REQUIRE(reverse[b] == 99 - b);
  }
  CHECK(std::set<unsigned>(random.begin(), random.end()).size() == 100);
  CHECK((random != forward && random != reverse));
}

TEST_CASE("schedule: clean kernels are right and without fault under every schedule", "[simt][schedule]") {
  never_faults([] { run_block_sum(Missing::nothing); });
  never_faults([] { run_block_sum(Missing::nothing, 100); });
  never_faults([] { run_warp_exchange(Missing::nothing, false); });
  never_faults([] { run_warp_exchange(Missing::nothing, true); });
  never_faults([] { run_cluster_sum(Missing::nothing); });
  never_faults([] { run_cluster_sum(Missing::nothing, 1); });
  never_faults([] { run_last_block_sum(Missing::nothing, false); });
  never_faults([] { run_last_block_sum(Missing::nothing, true); });
  never_faults([] { run_last_block_sum(Missing::nothing, true, 1); });
  never_faults([] { run_flagged_message(Missing::nothing); });
  never_faults([] { run_dependent_add(Missing::nothing); });
  never_faults([] { run_count_threads(Missing::nothing); });
}

#if !defined(PLUSMAX_RACE) && !PLUSMAX_TEST_ASAN
// What the order of threads alone brings to light: a wrong result under at least one of the schedules.
TEST_CASE("schedule: missing barriers give wrong results under some schedule", "[simt][schedule]") {
  const auto ever_wrong = [](auto&& run) {
    bool wrong = false;
    under_all_schedules(50, [&] { wrong |= fault_of(run).find("wrong result") == 0; });
    return wrong;
  };
  CHECK(ever_wrong([] { run_block_sum(Missing::barrier_before_read); }));
  CHECK(ever_wrong([] { run_block_sum(Missing::barrier_before_reuse); }));
  CHECK(ever_wrong([] { run_warp_exchange(Missing::warp_barrier, false); }));
  CHECK(ever_wrong([] { run_cluster_sum(Missing::cluster_barrier); }));
}
#endif
