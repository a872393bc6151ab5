// Barriers that count arrivals and bytes: their phases, and what must not be done to them.
#include "tests/simt/misuse.hpp"

using namespace plusmax;
using namespace plusmax::planted;
using platform::Mbarrier;

namespace {

__global__ void counts(float* out) {  // three phases: an arrival each and bytes in every other
  PLUSMAX_SHARED(Mbarrier, barrier, 1);
  PLUSMAX_SHARED(Tile, tile, 1);
  if (threadIdx.x == 0) {
    barrier[0].init(blockDim.x);
    platform::mbarrier_init_fence();
  }
  __syncthreads();
  for (unsigned turn = 0; turn < 3; ++turn) {
    if (turn && threadIdx.x == 0) __syncwarp(1);
    const bool loads = threadIdx.x == turn && turn != 1;
    if (loads)
      platform::bulk_load(tile, out, kBytes, barrier);  // before its bytes are expected: the count goes below 0
    if (loads)
      barrier[0].arrive_expect(kBytes);
    else
      barrier[0].arrive();
    if (turn == 1)
      while (!barrier[0].try_wait(turn & 1)) {
      }
    else
      barrier[0].wait(turn & 1);
    if (barrier[0].try_wait(turn & 1) != true) __builtin_trap();
  }
  out[threadIdx.x] = tile[0].value[threadIdx.x ^ 1];
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier[0].inval();
    barrier[0].init(1);
    barrier[0].arrive();
    barrier[0].wait(0);
  }
}

// Rank 1 arrives at rank 0, which leaves without waiting for that.
__global__ void arrives_at_a_leaver(bool waits) {
  PLUSMAX_SHARED(Mbarrier, barrier, 1);
  const platform::Cluster cluster;
  if (threadIdx.x == 0) barrier[0].init(1);
  cluster.sync();
  if (cluster.rank() == 1 && threadIdx.x == 0) cluster.map(barrier, 0)->arrive_at_peer();
  if (cluster.rank() == 0 && waits) barrier[0].wait_cluster(0);
}
auto leave_early(bool waits) {
  return [=] { must_start(platform::launch({dim3(2), dim3(32), 2}, arrives_at_a_leaver, waits)); };
}

}  // namespace

TEST_CASE("mbarrier: arrivals, bytes and parity, phase after phase", "[simt][mbarrier]") {
  under_all_schedules(50, [] {
    const Array<float> x(64, "x");
    for (std::size_t i = 0; i < 64; ++i) x[i] = float(i);
    REQUIRE(fault_of([&] { must_start(platform::launch({dim3(1), dim3(64)}, counts, x.get())); }) == "");
    if (!PLUSMAX_TEST_ASAN)
      for (std::size_t i = 0; i < 64; ++i) REQUIRE(x[i] == float(i ^ 1));
  });
}
TEST_CASE("mbarrier: what is forbidden", "[simt][mbarrier]") {
  finds("mbarrier wait at|not initialised", [](Mbarrier* b, Tile*, float*) { b->wait(0); });
  finds("not initialised", [](Mbarrier* b, Tile*, float*) { b->arrive(); });
  finds("a count of 0", [](Mbarrier* b, Tile*, float*) { b->init(0); });
  finds("a count of 1048576", [](Mbarrier* b, Tile*, float*) { b->init(1 << 20); });
  finds("it is initialised since", [](Mbarrier* b, Tile*, float*) {
    b->init(1);
    b->init(1);
  });
  finds("misaligned mbarrier",
        [](Mbarrier*, Tile* tile, float*) { reinterpret_cast<Mbarrier*>(reinterpret_cast<char*>(tile) + 4)->init(1); });
  finds("not in shared memory", [](Mbarrier*, Tile*, float* x) { reinterpret_cast<Mbarrier*>(x)->init(1); });
  finds("one more than the phase waits for", [](Mbarrier* b, Tile*, float*) {
    b->init(1);
    b->arrive_expect(16);
    b->arrive();
  });
  finds("at most 1048575 can be", [](Mbarrier* b, Tile*, float*) {
    b->init(2);
    b->arrive_expect(1 << 19);
    b->arrive_expect(1 << 19);
  });
  finds("neither 0 nor 1", [](Mbarrier* b, Tile*, float*) {
    b->init(1);
    b->wait(2);
  });
  finds("not initialised, or no longer", [](Mbarrier* b, Tile*, float*) {
    b->init(1);
    b->inval();
    b->arrive();
  });
  finds("overwritten the mbarrier", [](Mbarrier* b, Tile*, float*) {
    b->init(1);
    b->state = 0;
    b->arrive();
  });
  finds("deadlock: ", [](Mbarrier* b, Tile*, float*) {
    b->init(2);
    b->arrive();
    b->wait(0);
  });
  finds_at_peer("a peer can only arrive", [](Mbarrier* b, Tile*, float*) { b->wait(0); });
  finds_at_peer("a peer can only arrive", [](Mbarrier* b, Tile*, float*) { b->inval(); });
}
TEST_CASE("mbarrier: a block that leaves before a peer has arrived", "[simt][mbarrier]") {
  never_faults(leave_early(true));
#if defined(PLUSMAX_RACE)
  always_faults("the block has exited|DSMEM: the last thread of rank 0 exits", leave_early(false));
#else
  unsigned found = 0;
  under_all_schedules(20, [&] { found += names(fault_of(leave_early(false)), "the block has exited"); });
  CHECK(found > 0);
#endif
}
TEST_CASE("mbarrier: outside a kernel", "[simt][mbarrier]") {
  Mbarrier barrier{};
  CHECK(names(fault_of([&] { barrier.arrive(); }), "outside a kernel"));
  CHECK(names(fault_of([&] { barrier.wait(0); }), "outside a kernel"));
  CHECK(names(fault_of([] { platform::bulk_commit(); }), "outside a kernel"));
}
