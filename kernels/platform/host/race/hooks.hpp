// What the runtime tells the race detector. Nothing in builds without it.
#pragma once

#include "kernels/platform/host/machine.hpp"

namespace plusmax::simt {

class HostBuffer;
struct Operation;

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
void race_mbarrier_init(const void*, const void* code);
void race_mbarrier_inval(const void*, const void* code);
void race_mbarrier_arrive(const void*, const void* code);
void race_mbarrier_look(const void*, const void* code);
void race_mbarrier_turn(const void*);  // its phase is complete
void race_mbarrier_pass(const void*);  // the running thread has waited
void race_issue(const Operation&, const void* code);
void race_landed(const Operation&);
// The running thread has waited for its bulk stores with ids below `before`; read_only: for their reading only.
void race_groups_done(std::uint64_t before, bool read_only);
void race_proxy_fence();
void race_init_fence();
void race_named_arrive(const Block&, unsigned warp, unsigned id);
void race_named_release(const Block&, unsigned id, std::uint32_t waiting_warps);
void race_named_begin(unsigned rank, unsigned id);
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
inline void race_mbarrier_init(const void*, const void*) {}
inline void race_mbarrier_inval(const void*, const void*) {}
inline void race_mbarrier_arrive(const void*, const void*) {}
inline void race_mbarrier_look(const void*, const void*) {}
inline void race_mbarrier_turn(const void*) {}
inline void race_mbarrier_pass(const void*) {}
inline void race_issue(const Operation&, const void*) {}
inline void race_landed(const Operation&) {}
inline void race_groups_done(std::uint64_t, bool) {}
inline void race_proxy_fence() {}
inline void race_init_fence() {}
inline void race_named_arrive(const Block&, unsigned, unsigned) {}
inline void race_named_release(const Block&, unsigned, std::uint32_t) {}
inline void race_named_begin(unsigned, unsigned) {}
#endif

}  // namespace plusmax::simt
