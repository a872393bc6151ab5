// Bulk copies: operands that PTX forbids, groups, and what is touched before the copy is done.
#include "tests/simt/misuse.hpp"

using namespace plusmax;
using namespace plusmax::planted;
using platform::Mbarrier;

namespace {

__global__ void groups(float* x) {  // three groups of stores; the sources are free when they have been read
  PLUSMAX_SHARED(Tile, tile, 3);
  if (threadIdx.x != 0) return;
  for (int g = 0; g < 3; ++g) {
    for (int i = 0; i < 64; ++i) tile[g].value[i] = float(g + 1);
    platform::fence_proxy_async();
    platform::bulk_store(x + 64 * g, &tile[g], kBytes);
    platform::bulk_commit();
  }
  platform::bulk_wait_read<2>();
  tile[0].value[0] = -1;
  platform::bulk_wait_read<0>();
  tile[2].value[0] = -1;
  platform::bulk_wait<1>();
  x[1] += 10;
  platform::bulk_wait<0>();
  x[2 * 64 + 1] += 10;
}
enum class Late { source, destination };
__global__ void waits_too_little(Late late, float* x) {
  PLUSMAX_SHARED(Tile, tile, 1);
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 64; ++i) tile[0].value[i] = 1;
  platform::fence_proxy_async();
  platform::bulk_store(x, tile, kBytes);
  platform::bulk_commit();
  if (late == Late::destination) platform::bulk_wait_read<0>();
  if (late == Late::source) tile[0].value[0] = 2;
  if (late == Late::destination) x[64] = x[0];
  platform::bulk_wait<0>();
}
[[maybe_unused]] __global__ void store_read_early(float* x) {  // loads its tile, and stores to where it comes from
  PLUSMAX_SHARED(Mbarrier, barrier, 1);
  PLUSMAX_SHARED(Tile, tile, 1);
  if (threadIdx.x == 0) {
    barrier[0].init(1);
    platform::mbarrier_init_fence();
    barrier[0].arrive_expect(kBytes);
    platform::bulk_load(tile, x, kBytes, barrier);
    x[0] = 5;
    barrier[0].wait(0);
  }
}
// Loads over what another thread stored.
[[maybe_unused]] __global__ void load_over_store(bool fence, const float* x) {
  PLUSMAX_SHARED(Mbarrier, barrier, 1);
  PLUSMAX_SHARED(Tile, tile, 1);
  tile[0].value[threadIdx.x] = 0;
  if (fence) platform::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier[0].init(1);
    platform::mbarrier_init_fence();
    barrier[0].arrive_expect(kBytes);
    platform::bulk_load(tile, x, kBytes, barrier);
    barrier[0].wait(0);
  }
}

}  // namespace

TEST_CASE("bulk load: what is forbidden", "[simt][bulk]") {
  finds("destination", [](Mbarrier* b, Tile* tile, float* x) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::bulk_load(tile->value + 1, x, 16, b);
  });
  finds("source", [](Mbarrier* b, Tile* tile, float* x) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::bulk_load(tile, x + 2, 16, b);
  });
  finds("8 bytes are no multiple of 16", [](Mbarrier* b, Tile* tile, float* x) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::bulk_load(tile, x, 8, b);
  });
  finds("its destination", [](Mbarrier* b, Tile*, float* x) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::bulk_load(x, x + 64, 16, b);
  });
  finds("its source is in shared memory", [](Mbarrier* b, Tile* tile, float*) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::bulk_load(tile, tile + 1, 16, b);
  });
  finds("not initialised", [](Mbarrier* b, Tile* tile, float* x) { platform::bulk_load(tile, x, 16, b); });
  always_faults("out of bounds: 'x'", by_one_thread([](Mbarrier* b, Tile* tile, float* x) {
                  b->init(1);
                  platform::mbarrier_init_fence();
                  platform::bulk_load(tile, x + 4096, 16, b);
                }));
  finds("before the bulk load issued at|none has waited for bytes that landed", [](Mbarrier* b, Tile* tile, float* x) {
    b->init(1);
    platform::mbarrier_init_fence();
    platform::bulk_load(tile, x, 16, b);
  });
  finds("bytes are on their way", [](Mbarrier* b, Tile* tile, float* x) {
    b->init(1);
    platform::mbarrier_init_fence();
    b->arrive_expect(16);
    platform::bulk_load(tile, x, 16, b);
    b->inval();
  });
  finds_at_peer("different blocks", [](Mbarrier* b, Tile*, float* x) {
    PLUSMAX_SHARED(Tile, own, 1);
    platform::bulk_load(own, x, 16, b);
  });
}
TEST_CASE("bulk store: what is forbidden", "[simt][bulk]") {
  finds("destination", [](Mbarrier*, Tile* tile, float* x) { platform::bulk_store(x + 1, tile, 16); });
  finds("no multiple of 16", [](Mbarrier*, Tile* tile, float* x) { platform::bulk_store(x, tile, 24); });
  finds("not in this block's shared memory", [](Mbarrier*, Tile*, float* x) { platform::bulk_store(x, x + 64, 16); });
  finds("its destination is in shared memory",
        [](Mbarrier*, Tile* tile, float*) { platform::bulk_store(tile, tile + 1, 16); });
  // Groups that are not committed cannot be waited for.
  finds("without having waited until the bulk store issued at", [](Mbarrier*, Tile* tile, float* x) {
    for (float& value : tile->value) value = 1;
    platform::fence_proxy_async();
    platform::bulk_store(x, tile, kBytes);
    platform::bulk_wait<0>();
  });
}
TEST_CASE("bulk store: groups complete in order, sources before destinations", "[simt][bulk]") {
  under_all_schedules(50, [] {
    const Array<float> x(192, "x");
    REQUIRE(fault_of([&] { must_start(platform::launch({dim3(1), dim3(32)}, groups, x.get())); }) == "");
    if (!PLUSMAX_TEST_ASAN) {
      REQUIRE((x[0] == 1 && x[1] == 11 && x[64] == 2 && x[128] == 3 && x[129] == 13 && x[191] == 3));
    }
  });
}
TEST_CASE("bulk store: a source or a destination touched too early", "[simt][bulk]") {
  const Array<float> x(128, "x");
  bool wrong_source = false, wrong_destination = false;
  under_all_schedules(20, [&] {
    for (Late late : {Late::source, Late::destination}) {
      x.buffer().fill(0);
      const std::string fault = fault_of([&] {
        must_start(platform::launch({dim3(1), dim3(32)}, waits_too_little, late, x.get()));
      });
      INFO(fault);
#if defined(PLUSMAX_RACE)
      CHECK(names(
          fault, late == Late::source ? "race: write after read on 'shared memory'" : "race: read after write on 'x'"));
#endif
      (late == Late::source ? wrong_source : wrong_destination) |=
          !fault.empty() || (late == Late::source ? x[0] : x[64]) != 1;
    }
  });
  if (!PLUSMAX_TEST_ASAN) CHECK((wrong_source && wrong_destination));
}
#if defined(PLUSMAX_RACE)
TEST_CASE("bulk load: over stores that no fence separates from it", "[simt][bulk]") {
  const Array<float> x(64, "x");
  const auto load = [&](bool fence) {
    return [&x, fence] { must_start(platform::launch({dim3(1), dim3(64)}, load_over_store, fence, x.get())); };
  };
  never_faults(load(true));
  always_faults("race: the bulk load overwrites 'shared memory'", load(false));
}
TEST_CASE("bulk load: a source overwritten before the bytes have landed", "[simt][bulk]") {
  const Array<float> x(128, "x");
  always_faults("race: write after read on 'x'", [&] {
    must_start(platform::launch({dim3(1), dim3(32)}, store_read_early, x.get()));
  });
}
#endif
