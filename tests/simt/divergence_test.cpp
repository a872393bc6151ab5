// Every kind of divergence that the machine claims to find is planted here.
#include "tests/simt/planted.hpp"

using namespace plusmax;
using namespace plusmax::planted;

namespace {

template <class... P>
auto on(unsigned blocks, unsigned threads, unsigned cluster, void (*kernel)(P...)) {
  return [=] { must_start(platform::launch({dim3(blocks), dim3(threads), cluster}, kernel)); };
}

__global__ void two_barriers() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
}
__global__ void unequal_counts() {
  for (unsigned i = 0; i < 1u + (threadIdx.x == 5); ++i) __syncthreads();
}
__global__ void early_return() {
  if (threadIdx.x == 40) return;
  __syncthreads();
}
__global__ void two_kinds() { threadIdx.x & 1 ? __syncthreads_and(1) : __syncthreads_or(1); }
__global__ void half_warp_shuffles() {
  if (threadIdx.x < 16) __shfl_xor_sync(0xffffffffu, 1, 1);
}
__global__ void exit_before_shuffle() {
  if (threadIdx.x >= 16) return;
  __syncwarp(0xffffu);
  __shfl_xor_sync(0xffffffffu, 1, 1);
}
__global__ void source_outside() {
  if (threadIdx.x < 16) __shfl_sync(0xffffu, int(threadIdx.x), 20);
}
__global__ void lane_outside_its_mask() { __shfl_sync(0xfffeu, 1, 3); }
__global__ void overlapping_masks() { __syncwarp(threadIdx.x < 16 ? 0x0001ffffu : 0xffff0000u); }
__global__ void two_collectives() {
  if (threadIdx.x & 1)
    __ballot_sync(0xffffffffu, 1);
  else
    __shfl_sync(0xffffffffu, 1, 0);
}
__global__ void second_arrive() {
  platform::Cluster cluster;
  cluster.arrive();
  cluster.arrive();
}
__global__ void arrives_twice() {
  platform::Cluster cluster;
  cluster.sync();
  cluster.arrive();
  __syncthreads();
  cluster.arrive();
}
__global__ void only_waits() { platform::Cluster().wait(); }
__global__ void one_misses_the_cluster() {
  platform::Cluster cluster;
  if (cluster.rank() == 1 && threadIdx.x == 3) return;
  cluster.sync();
}
__global__ void block_against_cluster() {
  platform::Cluster cluster;
  if (threadIdx.x < 32)
    __syncthreads();
  else
    cluster.sync();
}
__global__ void warp_against_block() {
  if (threadIdx.x == 0)
    __syncwarp(3u);
  else
    __syncthreads();
}
__global__ void waits_for_nobody() {
  for (;;) platform::pause();
}
__global__ void launches() { must_start(platform::launch({dim3(1), dim3(1)}, two_barriers)); }

}  // namespace

TEST_CASE("divergence: barriers on two lines", "[simt][divergence]") {
  always_faults("barrier divergence", on(1, 64, 1, two_barriers));
}
TEST_CASE("divergence: one thread reaches a barrier once more", "[simt][divergence]") {
  always_faults("barrier divergence", on(1, 64, 1, unequal_counts));
}
TEST_CASE("divergence: a thread returns before a barrier", "[simt][divergence]") {
  always_faults("barrier divergence", on(1, 64, 1, early_return));
}
TEST_CASE("divergence: two kinds of barrier on one line", "[simt][divergence]") {
  always_faults("barrier divergence", on(1, 32, 1, two_kinds));
}
TEST_CASE("divergence: half a warp calls a shuffle of the whole warp", "[simt][divergence]") {
  always_faults("warp divergence", on(1, 32, 1, half_warp_shuffles));
  always_faults("warp divergence", on(1, 32, 1, exit_before_shuffle));
}
TEST_CASE("divergence: a shuffle reads a lane that takes no part", "[simt][divergence]") {
  always_faults("lane 20, which does not take part", on(1, 32, 1, source_outside));
}
TEST_CASE("divergence: a lane is missing from its own mask", "[simt][divergence]") {
  always_faults("not in its own mask", on(1, 16, 1, lane_outside_its_mask));
}
TEST_CASE("divergence: masks that overlap and differ", "[simt][divergence]") {
  always_faults("warp divergence", on(1, 32, 1, overlapping_masks));
}
TEST_CASE("divergence: two collectives of one warp at once", "[simt][divergence]") {
  always_faults("warp divergence", on(1, 32, 1, two_collectives));
}
TEST_CASE("divergence: a second arrive at a cluster barrier", "[simt][divergence]") {
  always_faults("second arrive without a wait", on(4, 32, 4, second_arrive));
}
TEST_CASE("divergence: halves of a cluster barrier that do not match", "[simt][divergence]") {
  always_faults("second arrive without a wait", on(1, 64, 1, arrives_twice));
  always_faults("wait without an arrive", on(2, 32, 2, only_waits));
}
TEST_CASE("divergence: a thread of the cluster returns before its barrier", "[simt][divergence]") {
  always_faults("barrier divergence", on(4, 32, 4, one_misses_the_cluster));
}
TEST_CASE("deadlock: some wait for the block, some for the cluster, and both places are named", "[simt][divergence]") {
  always_faults("deadlock", on(2, 64, 2, block_against_cluster));
  const std::string fault = fault_of(on(2, 64, 2, block_against_cluster));
  CHECK(names(fault, "32 wait at __syncthreads"));
  CHECK(names(fault, "32 wait at a cluster barrier"));
  CHECK(names(fault, "divergence_test.cpp"));
}
TEST_CASE("deadlock: a lane waits for its warp, the warp for the block", "[simt][divergence]") {
  always_faults("deadlock", on(1, 32, 1, warp_against_block));
}
TEST_CASE("livelock: a loop that nobody can end", "[simt][divergence]") {
  always_faults("livelock", on(2, 64, 2, waits_for_nobody));
}
TEST_CASE("launch: from inside a kernel", "[simt][divergence]") {
  always_faults("launch from inside a kernel", on(1, 1, 1, launches));
}
TEST_CASE("machine: collectives outside a kernel", "[simt][divergence]") {
  CHECK(names(fault_of([] { __syncthreads(); }), "outside a kernel"));
  CHECK(names(fault_of([] { __syncwarp(); }), "outside a kernel"));
  CHECK(names(fault_of([] { platform::Cluster().sync(); }), "outside a kernel"));
  CHECK(names(fault_of([] { platform::threadfence(); }), "outside a kernel"));
  CHECK(names(fault_of([] { platform::pause(); }), "outside a kernel"));
  CHECK(names(fault_of([] {
                PLUSMAX_SHARED(float, tile, 4);
                tile[0] = 1;
              }),
              "outside a kernel"));
}

TEST_CASE("divergence: on demand, barriers wait only for threads that have not exited", "[simt][divergence]") {
  simt::options().exited_threads_ok = true;
  never_faults(on(1, 64, 1, early_return));
  never_faults(on(1, 64, 1, exit_before_shuffle));
  never_faults(on(4, 32, 4, one_misses_the_cluster));
  simt::options().exited_threads_ok = false;
}
