// Named barriers: warps with different work meet in parts, and every misuse is an error.
#include "kernels/platform/named_barrier.cuh"
#include "tests/simt/planted.hpp"

using namespace plusmax;
using namespace plusmax::planted;

namespace {

// Warp 0 fills two buffers in turn, the other warps read them: filled[b] and free[b] have ids 1 + b and 3 + b.
__global__ void producer_and_consumers(int turns, bool free_barrier, float* out) {
  PLUSMAX_SHARED(float, buffer, 64);
  const unsigned lane = threadIdx.x % 32, all = blockDim.x;
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const unsigned b = unsigned(turn) & 1;
    if (threadIdx.x < 32) {
      if (turn >= 2 && free_barrier) platform::named_sync(3 + b, all);
      buffer[b * 32 + lane] = float(turn * 32) + float(lane);
      platform::named_arrive(1 + b, all);
    } else {
      platform::named_sync(1 + b, all);
      sum += buffer[b * 32 + (lane ^ 1)];
      if (turn + 2 < turns && free_barrier) platform::named_arrive(3 + b, all);
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

template <unsigned kCase>
__global__ void misuse() {
  const unsigned warp = threadIdx.x / 32;
  if constexpr (kCase == 0) platform::named_sync(16, 64);
  if constexpr (kCase == 1) platform::named_sync(0, 64);
  if constexpr (kCase == 2) platform::named_sync(1, 48);
  if constexpr (kCase == 3) platform::named_sync(1, 128);
  if constexpr (kCase == 4) platform::named_sync(1, warp == 0 ? 64 : 32);
  if constexpr (kCase == 5) {
    if (warp == 0) {
      platform::named_arrive(1, 64);
      platform::named_arrive(1, 64);
    }
  }
  if constexpr (kCase == 6) {
    if (threadIdx.x % 32 < 16) platform::named_sync(1, 64);
  }
  if constexpr (kCase == 7) platform::named_sync(1 + threadIdx.x % 2, 64);
  if constexpr (kCase == 8) {
    if (warp == 0) platform::named_sync(1, 64);
  }
  if constexpr (kCase == 9) {
    if (warp == 0) platform::named_arrive(1, 64);
  }
}
template <unsigned kCase>
void finds(const char* words) {
  INFO(words);
  always_faults(words, [] { must_start(platform::launch({dim3(1), dim3(64)}, misuse<kCase>)); });
}

}  // namespace

TEST_CASE("named barrier: producer and consumers with two buffers", "[simt][named]") {
  for (unsigned threads : {64u, 128u})
    under_all_schedules(50, [&] {
      const Array<float> out(threads - 32, "out");
      REQUIRE(fault_of([&] {
                must_start(platform::launch({dim3(1), dim3(threads)}, producer_and_consumers, 7, true, out.get()));
              }) == "");
      if (!PLUSMAX_TEST_ASAN)
        for (std::size_t i = 0; i < threads - 32; ++i) REQUIRE(out[i] == float(21 * 32 + 7 * (i % 32 ^ 1)));
    });
}
#if defined(PLUSMAX_RACE)
TEST_CASE("named barrier: an arrive orders what came before it, and nothing else", "[simt][named]") {
  const Array<float> out(32, "out");
  always_faults("race: |twice before|uninitialised", [&] {
    must_start(platform::launch({dim3(1), dim3(64)}, producer_and_consumers, 7, false, out.get()));
  });
}
#endif
TEST_CASE("named barrier: what is forbidden", "[simt][named]") {
  finds<0>("there is no barrier 16");
  finds<1>("0 is __syncthreads");
  finds<2>("48 threads are no whole warps");
  finds<3>("128 threads are no whole warps of a block of 64");
  finds<4>("others came at|deadlock");
  finds<5>("comes twice before the 64 threads are complete");
  finds<6>("warp divergence");
  finds<7>("come to different named barriers");
  finds<8>("deadlock|the block exits when 32 of 64");
  finds<9>("the block exits when 32 of 64 threads have come");
  CHECK(names(fault_of([] { platform::named_sync(1, 32); }), "outside a kernel"));
}
