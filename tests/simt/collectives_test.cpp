// Shuffles, votes, reductions, barriers with results, clusters and atomics against plain models of them.
#include "tests/simt/planted.hpp"

#include <vector>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

enum Mode { up, down, butterfly, direct };

// The PTX ISA's pseudo-code of shfl.sync, for segments of `width` lanes.
int source_lane(Mode mode, unsigned lane, unsigned operand, unsigned width) {
  const unsigned segment = 32 - width, clamp = mode == up ? 0 : 31, value = operand & 31;
  const unsigned highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
  int from = 0;
  bool valid = false;
  switch (mode) {
    case up:
      from = int(lane) - int(value), valid = from >= int(highest);
      break;
    case down:
      from = int(lane + value), valid = from <= int(highest);
      break;
    case butterfly:
      from = int(lane ^ value), valid = from <= int(highest);
      break;
    case direct:
      from = int(lowest | (value & ~segment)), valid = from <= int(highest);
      break;
  }
  return valid ? from : int(lane);
}

__global__ void shuffles(Mode mode, int operand, int width, int* out) {
  const int lane = int(threadIdx.x);
  out[lane] = mode == up          ? __shfl_up_sync(~0u, lane, unsigned(operand), width)
              : mode == down      ? __shfl_down_sync(~0u, lane, unsigned(operand), width)
              : mode == butterfly ? __shfl_xor_sync(~0u, lane, operand, width)
                                  : __shfl_sync(~0u, lane, operand, width);
}

template <unsigned Words>
struct Wide {
  unsigned word[Words];
};
template <unsigned Words>
__device__ bool is_of(const Wide<Words>& value, unsigned lane) {
  bool same = true;
  for (unsigned w = 0; w < Words; ++w) same &= value.word[w] == lane * 100 + w;
  return same;
}
template <unsigned Words>
__global__ void wide_shuffles(int* right) {
  const unsigned lane = threadIdx.x;
  Wide<Words> own;
  for (unsigned w = 0; w < Words; ++w) own.word[w] = lane * 100 + w;
  right[lane] = is_of(platform::shuffle(own, 5), 5) && is_of(platform::shuffle_xor(own, 9), lane ^ 9) &&
                is_of(platform::shuffle_down(own, 3u), lane < 29 ? lane + 3 : lane) &&
                is_of(platform::shuffle_up(own, 2u), lane >= 2 ? lane - 2 : lane);
}

__global__ void votes(unsigned* out) {
  const unsigned lane = threadIdx.x, half = lane < 16 ? 0xffffu : 0xffff0000u;
  unsigned* mine = out + lane * 8;
  mine[0] = __ballot_sync(~0u, lane % 3 == 0);
  mine[1] = unsigned(__any_sync(~0u, lane == 31)) + 2 * unsigned(__any_sync(~0u, 0));
  mine[2] = unsigned(__all_sync(~0u, 1)) + 2 * unsigned(__all_sync(~0u, lane != 3));
  mine[3] = __reduce_add_sync(~0u, lane);
  mine[4] = __reduce_max_sync(half, lane);
  mine[5] = __reduce_min_sync(half, lane + 7);
  mine[6] = unsigned(__syncthreads_count(int(lane % 5 == 0)));
  mine[7] = unsigned(__syncthreads_and(lane != 9)) + 2 * unsigned(__syncthreads_or(lane == 9)) +
            4 * unsigned(__syncthreads_and(1)) + 8 * unsigned(__syncthreads_or(0));
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* w, float* f, double* d) {
  const int t = int(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(i, t - 50);
  atomicMax(i + 1, t);
  atomicMin(i + 2, -t);
  atomicAdd(u, 1u);
  atomicCAS(u + 1, 0u, unsigned(t) + 1);
  atomicExch(u + 2, 77u);
  platform::atomic_add(w, 1ull << 40, platform::Order::acq_rel);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
}

__global__ void cluster_ranks(unsigned* out) {
  PLUSMAX_SHARED(unsigned, own, 1);
  platform::Cluster cluster;
  if (threadIdx.x == 0) own[0] = 100 * blockIdx.x + cluster.rank();
  cluster.sync();
  if (threadIdx.x == 0)
    for (unsigned r = 0; r < cluster.size(); ++r) out[blockIdx.x * cluster.size() + r] = *cluster.map(own, r);
  cluster.arrive();
  cluster.wait();
}

}  // namespace

TEST_CASE("shuffle: every width and operand reads the lane that the PTX ISA says", "[simt][collectives]") {
  const Array<int> out(32);
  unsigned run = 0;
  for (Mode mode : {up, down, butterfly, direct})
    for (int width = 1; width <= 32; width *= 2)
      for (int operand = 0; operand < 40; ++operand) {
        host_device().configure(Schedule(run % 3), run, 0.f);
        ++run;
        must_start(platform::launch({dim3(1), dim3(32)}, shuffles, mode, operand, width, out.get()));
        host_device().synchronize();
        for (unsigned lane = 0; lane < 32; ++lane) {
          INFO("mode " << mode << " width " << width << " operand " << operand << " lane " << lane);
          REQUIRE(out[lane] == source_lane(mode, lane, unsigned(operand), unsigned(width)));
        }
      }
  host_device().configure(Schedule::forward, 0, 0.f);
}

TEST_CASE("shuffle: structs of any number of words", "[simt][collectives]") {
  const Array<int> right(32);
  const auto check = [&](void (*kernel)(int*)) {
    under_all_schedules(3, [&] {
      must_start(platform::launch({dim3(1), dim3(32)}, kernel, right.get()));
      host_device().synchronize();
      for (int lane = 0; lane < 32; ++lane) REQUIRE(right[std::size_t(lane)] == 1);
    });
  };
  check(wide_shuffles<1>);
  check(wide_shuffles<2>);
  check(wide_shuffles<3>);
  check(wide_shuffles<4>);
  check(wide_shuffles<7>);
}

TEST_CASE("votes, reductions and barriers with results", "[simt][collectives]") {
  const Array<unsigned> out(32 * 8);
  under_all_schedules(5, [&] {
    must_start(platform::launch({dim3(1), dim3(32)}, votes, out.get()));
    host_device().synchronize();
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned* mine = out.get() + lane * 8;
      const bool low = lane < 16;
      REQUIRE(std::vector<unsigned>(mine, mine + 8) ==
              std::vector<unsigned>{0x49249249u, 1u, 1u, 496u, low ? 15u : 31u, low ? 7u : 23u, 7u, 0u + 2u + 4u});
    }
  });
}

TEST_CASE("atomics: no update is lost under any schedule", "[simt][collectives]") {
  const Array<int> i(3);
  const Array<unsigned> u(3);
  const Array<unsigned long long> w(1);
  const Array<float> f(1);
  const Array<double> d(1);
  under_all_schedules(10, [&] {
    for (DeviceBuffer* buffer : {&i.buffer(), &u.buffer(), &w.buffer(), &f.buffer(), &d.buffer()}) buffer->fill(0);
    must_start(platform::launch({dim3(3), dim3(64)}, atomics, i.get(), u.get(), w.get(), f.get(), d.get()));
    host_device().synchronize();
    REQUIRE(i[0] == 191 * 192 / 2 - 50 * 192);
    REQUIRE(i[1] == 191);
    REQUIRE(i[2] == -191);
    REQUIRE(u[0] == 192);
    REQUIRE((u[1] >= 1 && u[1] <= 192));
    REQUIRE(u[2] == 77);
    REQUIRE(w[0] == 192ull << 40);
    REQUIRE(f[0] == 96.f);
    REQUIRE(d[0] == 48.0);
  });
}

TEST_CASE("cluster: ranks, sizes and the shared memory of peers", "[simt][collectives]") {
  for (unsigned size : {1u, 2u, 4u, 8u, 16u}) {
    const Array<unsigned> out(2 * size * size);
    under_all_schedules(5, [&] {
      must_start(platform::launch({dim3(2 * size), dim3(40), size}, cluster_ranks, out.get()));
      host_device().synchronize();
      for (unsigned block = 0; block < 2 * size; ++block)
        for (unsigned r = 0; r < size; ++r) REQUIRE(out[block * size + r] == 100 * (block / size * size + r) + r);
    });
  }
}
