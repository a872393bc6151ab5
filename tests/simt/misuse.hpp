// Kernels of one thread that does something forbidden, and what must be said about it.
#pragma once

#include "kernels/platform/async.cuh"
#include "tests/simt/planted.hpp"

namespace plusmax::planted {

struct alignas(16) Tile {
  float value[64];
};
constexpr unsigned kBytes = sizeof(Tile);

// What one thread does wrong, on its own barrier and tile.
using Misuse = void (*)(platform::Mbarrier* barrier, Tile* tile, float* x);

static __global__ void alone(Misuse misuse, float* x) {
  PLUSMAX_SHARED(platform::Mbarrier, barrier, 2);
  PLUSMAX_SHARED(Tile, tile, 2);
  if (threadIdx.x == 0) misuse(barrier, tile, x);
}
inline auto by_one_thread(Misuse misuse) {
  return [=] {
    const Array<float> x(256, "x", 128);
    must_start(platform::launch({dim3(1), dim3(32)}, alone, misuse, x.get()));
  };
}
// The same in rank 1 of a cluster, with the barrier and the tile of rank 0.
static __global__ void at_a_peer(Misuse misuse, float* x) {
  PLUSMAX_SHARED(platform::Mbarrier, barrier, 2);
  PLUSMAX_SHARED(Tile, tile, 2);
  const platform::Cluster cluster;
  if (threadIdx.x == 0) {
    barrier[0].init(1);
    platform::mbarrier_init_fence();
  }
  cluster.sync();
  if (cluster.rank() == 1 && threadIdx.x == 0) misuse(cluster.map(barrier, 0), cluster.map(tile, 0), x);
  cluster.sync();
}
inline auto by_a_peer(Misuse misuse) {
  return [=] {
    const Array<float> x(256, "x", 128);
    must_start(platform::launch({dim3(2), dim3(32), 2}, at_a_peer, misuse, x.get()));
  };
}

inline void finds(const char* words, Misuse misuse) {
  INFO(words);
  always_faults(words, by_one_thread(misuse));
  const std::string fault = fault_of(by_one_thread(misuse));
  CHECK(names(fault, "_test.cpp:"));
}
inline void finds_at_peer(const char* words, Misuse misuse) {
  INFO(words);
  always_faults(words, by_a_peer(misuse));
}
}  // namespace plusmax::planted
