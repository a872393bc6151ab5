// Shared memory: overruns, sizes, ranks, and how long a peer's memory lives.
#include "tests/simt/planted.hpp"

#include <cmath>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

__global__ void dynamic_at(float* out, int i) {
  PLUSMAX_SHARED_DYNAMIC(float, tile);
  tile[i] = 1;
  *out = tile[i];
}
__global__ void static_at(float* out, int i) {
  PLUSMAX_SHARED(float, first, 8);
  PLUSMAX_SHARED(float, second, 8);
  first[i] = 1;
  second[0] = 2;
  *out = second[0];
}
__global__ void peer_at(float* out, int i) {
  PLUSMAX_SHARED_DYNAMIC(float, tile);
  platform::Cluster cluster;
  cluster.sync();
  float* peer = cluster.map(tile, 1);
  if (cluster.rank() == 0) peer[i] = 1;
  cluster.sync();
  if (cluster.rank() == 1 && i < 64) *out = tile[i];
}
__global__ void rank_seven(float* out) {
  PLUSMAX_SHARED(float, value, 8);
  platform::Cluster cluster;
  cluster.sync();
  *out = *cluster.map(value, 7);
  cluster.sync();
}
__global__ void not_shared(float* out) {
  platform::Cluster cluster;
  cluster.sync();
  *out = *cluster.map(out, 1);
  cluster.sync();
}
// Each block touches every peer; `first` and `last` are the barriers that keep the peers alive.
__global__ void peers(float* out, bool first, bool last) {
  PLUSMAX_SHARED(float, value, 1);
  platform::Cluster cluster;
  if (first) cluster.sync();
  for (unsigned r = 0; r < cluster.size(); ++r)
    if (r != cluster.rank())
      platform::atomic_add(reinterpret_cast<unsigned*>(cluster.map(value, r)), 1u, platform::Order::relaxed);
  if (last) cluster.sync();
  if (blockIdx.x == 0) *out = 1;
}
struct Page {
  char bytes[1024];
};
__global__ void large_static() {
  PLUSMAX_SHARED(Page, big, 228);
  big[0].bytes[0] = 1;
}
__global__ void static_and_dynamic() {
  PLUSMAX_SHARED(Page, some, 100);
  some[0].bytes[0] = 1;
}
[[maybe_unused]] __global__ void fresh(float* out) {
  PLUSMAX_SHARED_DYNAMIC(float, tile);
  *out = tile[threadIdx.x];
}
__global__ void wraps_alignment(bool* right) {
  PLUSMAX_SHARED(char, odd, 3);
  PLUSMAX_SHARED(double2, wide, 2);
  PLUSMAX_SHARED_DYNAMIC(char, tile);
  odd[0] = 0;
  *right = reinterpret_cast<std::uintptr_t>(wide) % 16 == 0 && reinterpret_cast<std::uintptr_t>(tile) % 16 == 0;
}

template <class... P, class... A>
auto start(const platform::LaunchConfig& config, void (*kernel)(P...), A... args) {
  return [=] { must_start(platform::launch(config, kernel, args...)); };
}

}  // namespace

TEST_CASE("shared: behind and before the dynamic part", "[simt][shared]") {
  const Array<float> out(1);
  CHECK(fault_of(start({dim3(1), dim3(1), 1, 256}, dynamic_at, out.get(), 63)) == "");
  CHECK(names(fault_of(start({dim3(1), dim3(1), 1, 256}, dynamic_at, out.get(), 64)),
              "shared memory of rank 0: out of bounds"));
  CHECK(names(fault_of(start({dim3(1), dim3(1), 1, 256}, dynamic_at, out.get(), -70000)),
              "shared memory of rank 0: out of bounds"));
  CHECK(names(fault_of(start({dim3(1), dim3(1), 1, 256}, dynamic_at, out.get(), -1)), "before its start"));
}
TEST_CASE("shared: behind a static array", "[simt][shared]") {
  const Array<float> out(1);
  CHECK(fault_of(start({dim3(1), dim3(1)}, static_at, out.get(), 7)) == "");
  CHECK(names(fault_of(start({dim3(1), dim3(1)}, static_at, out.get(), 8)), "shared 'first' of 32 bytes"));
  CHECK(names(fault_of(start({dim3(1), dim3(1)}, static_at, out.get(), 15)),
              "shared 'first' of 32 bytes was written at byte offset 60"));
}
TEST_CASE("shared: behind a peer's dynamic part", "[simt][shared]") {
  const Array<float> out(1);
  CHECK(fault_of(start({dim3(2), dim3(1), 2, 256}, peer_at, out.get(), 63)) == "");
  always_faults("shared memory of rank 1: out of bounds", start({dim3(2), dim3(1), 2, 256}, peer_at, out.get(), 64));
}
TEST_CASE("shared: a rank that the cluster does not have", "[simt][shared]") {
  const Array<float> out(1);
  always_faults("rank 7 in a cluster of 2", start({dim3(2), dim3(1), 2}, rank_seven, out.get()));
}
TEST_CASE("shared: mapping an address that is not shared", "[simt][shared]") {
  const Array<float> out(1);
  always_faults("not in this block's shared memory", start({dim3(2), dim3(1), 2}, not_shared, out.get()));
}
TEST_CASE("shared: a peer's memory before the peer has started", "[simt][shared]") {
  const Array<float> out(1);
  for (Schedule schedule : {Schedule::forward, Schedule::reverse}) {
    host_device().configure(schedule, 0, 0.f);
    const std::string fault = fault_of(start({dim3(4), dim3(1), 4}, peers, out.get(), false, true));
    INFO(fault);
    CHECK(names(fault, "the block has not started|before any cluster barrier"));
  }
  host_device().configure(Schedule::forward, 0, 0.f);
}
TEST_CASE("shared: a peer's memory after the peer has left", "[simt][shared]") {
  const Array<float> out(1);
  for (Schedule schedule : {Schedule::forward, Schedule::reverse}) {
    host_device().configure(schedule, 0, 0.f);
    const std::string fault = fault_of(start({dim3(4), dim3(1), 4}, peers, out.get(), true, false));
    INFO(fault);
    CHECK(names(fault, "the block has exited|no cluster barrier, no wait"));
  }
  host_device().configure(Schedule::forward, 0, 0.f);
}
TEST_CASE("shared: more than 227 KB, however it is asked for", "[simt][shared]") {
  const Array<float> out(1);
  CHECK(names(fault_of(start({dim3(1), dim3(1), 1, 228 * 1024}, dynamic_at, out.get(), 0)),
              "refused: launch: 233472 bytes"));
  CHECK(fault_of(start({dim3(1), dim3(1), 1, 227 * 1024}, dynamic_at, out.get(), 0)) == "");
  CHECK(names(fault_of(start({dim3(1), dim3(1)}, large_static)), "shared memory exceeds 232448 bytes at 'big'"));
  CHECK(names(fault_of(start({dim3(1), dim3(1), 1, 128 * 1024}, static_and_dynamic)),
              "shared memory exceeds 232448 bytes at 'some'"));
  CHECK(fault_of(start({dim3(1), dim3(1), 1, 100 * 1024}, static_and_dynamic)) == "");
}
TEST_CASE("shared: static and dynamic parts are aligned", "[simt][shared]") {
  const Array<bool> right(1);
  for (std::size_t bytes : {1u, 17u, 4096u, 100000u}) {
    right[0] = false;
    CHECK(fault_of(start({dim3(1), dim3(1), 1, bytes}, wraps_alignment, right.get())) == "");
    if (!PLUSMAX_TEST_ASAN) CHECK(right[0]);
  }
}
#if !defined(PLUSMAX_RACE) && !PLUSMAX_TEST_ASAN
TEST_CASE("shared: starts as NaN on even seeds and huge on odd ones, in every block", "[simt][shared]") {
  const Array<float> out(1);
  for (unsigned seed = 0; seed < 4; ++seed) {
    host_device().configure(Schedule::random, seed, 0.f);
    REQUIRE(fault_of(start({dim3(3), dim3(32), 1, 128}, fresh, out.get())) == "");
    CHECK((seed & 1 ? out[0] > 3e38f : std::isnan(out[0])));
  }
  host_device().configure(Schedule::forward, 0, 0.f);
}
#endif
