// What kernels call of the asynchronous part of the machine: barriers that count arrivals and bytes, named barriers,
// and copies that land late. As PTX for sm_90 has them.
#pragma once

#include "kernels/platform/host/runtime.hpp"

#pragma GCC visibility push(default)
namespace plusmax::simt {

// ---- mbarriers: 8 bytes of shared memory each ----------------------------------------------------
void mbarrier_init(void*, unsigned count, const char* file, int line);
void mbarrier_init_fence(const char* file, int line);
void mbarrier_inval(void*, const char* file, int line);
// Of this block or, through map_shared_rank, of a peer. `expected`: bytes that the phase waits for besides.
void mbarrier_arrive(void*, unsigned expected, const char* file, int line);
enum class Scope : std::uint8_t { block, cluster };
void mbarrier_wait(const void*, unsigned parity, Scope, const char* file, int line);
bool mbarrier_try_wait(const void*, unsigned parity, Scope, const char* file, int line);

// ---- copies --------------------------------------------------------------------------------------
// Buffer to shared memory, completing on an mbarrier of the block that receives.
void bulk_load(void* to, const void* from, unsigned bytes, void* barrier, const char* file, int line);
// Shared memory to buffer, completing by groups of the thread that issues.
void bulk_store(void* to, const void* from, unsigned bytes, const char* file, int line);
void bulk_commit(const char* file, int line);
// Until at most `pending` of the thread's groups are not done; read_only: until their sources have been read.
void bulk_wait(unsigned pending, bool read_only, const char* file, int line);
// 4, 8 or 16 bytes to the shared memory of a peer, completing on an mbarrier of that peer.
void store_async(void* to, const void* value, unsigned bytes, void* barrier, const char* file, int line);
void fence_proxy_async(const char* file, int line);

// ---- named barriers ------------------------------------------------------------------------------
constexpr unsigned kNamedBarriers = 16;
// All lanes of a warp call it together; `count` threads make it complete. Without `wait` they only arrive.
void named_barrier(unsigned id, unsigned count, bool wait, const char* file, int line);

}  // namespace plusmax::simt
#pragma GCC visibility pop
