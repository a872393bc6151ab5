// Stores to the shared memory of a peer that count on a barrier there.
#include "tests/simt/misuse.hpp"

using namespace plusmax;
using namespace plusmax::planted;
using platform::Mbarrier;

namespace {

// Messages to every rank; `leaves`: rank 0 does not wait for its own.
__global__ void messages(bool leaves, bool block_scope, float* out) {
  PLUSMAX_SHARED(Mbarrier, barrier, 1);
  PLUSMAX_SHARED(float2, message, 4);
  const platform::Cluster cluster;
  if (threadIdx.x == 0) {
    barrier[0].init(1);
    platform::mbarrier_init_fence();
    barrier[0].arrive_expect(cluster.size() * sizeof(float2));
  }
  cluster.sync();
  if (threadIdx.x < cluster.size())
    platform::store_async(cluster.map(message + cluster.rank(), threadIdx.x),
                          make_float2(float(cluster.rank()), float(threadIdx.x)), cluster.map(barrier, threadIdx.x));
  if (leaves && cluster.rank() == 0) return;
  if (block_scope)
    barrier[0].wait(0);
  else
    barrier[0].wait_cluster(0);
  if (threadIdx.x < cluster.size())
    out[blockIdx.x * 4 + threadIdx.x] = message[threadIdx.x].x + 10 * message[threadIdx.x].y;
}
auto send_messages(bool leaves, bool block_scope = false) {
  return [=] {
    const Array<float> out(16, "out");
    must_start(platform::launch({dim3(4), dim3(32), 4}, messages, leaves, block_scope, out.get()));
    host_device().synchronize();
    for (std::size_t to = 0; to < 4; ++to)
      for (std::size_t from = 0; from < 4; ++from)
        if (out[to * 4 + from] != float(from + 10 * to)) throw DeviceError("wrong result of messages");
  };
}

}  // namespace

TEST_CASE("store_async: to every rank, and who must wait", "[simt][store_async]") {
  never_faults(send_messages(false));
  always_faults("exit: the last thread of rank 0 exits", send_messages(true));
  always_faults("in the scope of the block acquires nothing", send_messages(false, true));
}
TEST_CASE("store_async: what is forbidden", "[simt][store_async]") {
  finds("is not in shared memory", [](Mbarrier* b, Tile*, float* x) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::store_async(x, 1.f, b);
  });
  finds("not aligned to 8 bytes", [](Mbarrier* b, Tile* tile, float*) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::store_async(reinterpret_cast<float2*>(tile->value + 1), make_float2(1, 2), b);
  });
  finds_at_peer("different blocks", [](Mbarrier* b, Tile*, float*) {
    PLUSMAX_SHARED(float, own, 1);
    platform::store_async(own, 1.f, b);
  });
}
