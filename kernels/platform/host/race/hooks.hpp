// What the runtime tells the race detector. Nothing in builds without it.
#pragma once

#include "kernels/platform/host/machine.hpp"

namespace plusmax::simt {

class HostBuffer;

#if defined(PLUSMAX_RACE)
constexpr bool kDetectsRaces = true;
void race_launch();
void race_cluster();
void race_block_arrive(Fiber*);
void race_block_release(Block*);
// A __syncwarp of the lanes `part` is complete.
void race_warp_sync(Warp*, Block*, std::uint32_t part);
void race_cluster_arrive(Fiber*);
void race_cluster_release();
void race_exit(Fiber*);
void race_atomic(const volatile void*, std::size_t bytes, Access, Order, const void* code);
void race_fence();
void race_grid_dependency_wait();
void race_add(const HostBuffer*);
void race_remove(const HostBuffer*);
#else
constexpr bool kDetectsRaces = false;
inline void race_launch() {}
inline void race_cluster() {}
inline void race_block_arrive(Fiber*) {}
inline void race_block_release(Block*) {}
inline void race_warp_sync(Warp*, Block*, std::uint32_t) {}
inline void race_cluster_arrive(Fiber*) {}
inline void race_cluster_release() {}
inline void race_exit(Fiber*) {}
inline void race_atomic(const volatile void*, std::size_t, Access, Order, const void*) {}
inline void race_fence() {}
inline void race_grid_dependency_wait() {}
inline void race_add(const HostBuffer*) {}
inline void race_remove(const HostBuffer*) {}
#endif

}  // namespace plusmax::simt
