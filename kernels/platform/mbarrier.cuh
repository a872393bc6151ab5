// Barriers in shared memory that count arrivals and bytes.
#pragma once

#include "kernels/platform/cuda.cuh"
#if !defined(__CUDACC__)
#include "kernels/platform/host/async.hpp"
#endif

// 0 where nvcc compiles for a GPU before sm_90, which has none of this: nothing below is declared there, and a kernel
// puts its body between #if PLUSMAX_ASYNC and #else __trap(); #endif, so that the same file still compiles for both.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define PLUSMAX_ASYNC 0
#else
#define PLUSMAX_ASYNC 1
#endif

#if PLUSMAX_ASYNC
namespace plusmax::platform {

#if defined(__CUDACC__)
// Of this block's shared memory, or of a peer's through Cluster::map().
__device__ __forceinline__ unsigned shared_address(const void* address) {
  return static_cast<unsigned>(__cvta_generic_to_shared(address));
}
#endif

// Lives in shared memory. A phase is over when all arrivals have been and all expected bytes have landed; then the next
// one begins. wait(parity) waits for the phase of that parity: 0 for the first, 1 for the second, 0 for the third. What
// a thread did before it arrives is visible to those who wait. Free a buffer when the values loaded from it have been
// used, not when they have been loaded: on sm_90 an arrive was seen to overtake loads from shared memory.
struct alignas(8) Mbarrier {
  std::uint64_t state;

  // One thread does, and a barrier tells the others; mbarrier_init_fence() before that tells peers and copies.
  __device__ __forceinline__ void init(unsigned count PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(count) : "memory");
#else
    simt::mbarrier_init(this, count, file, line);
#endif
  }
  // Its memory may be used for something else.
  __device__ __forceinline__ void inval(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(this)) : "memory");
#else
    simt::mbarrier_inval(this, file, line);
#endif
  }
  __device__ __forceinline__ void arrive(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
#else
    simt::mbarrier_arrive(this, 0, file, line);
#endif
  }
  // On a barrier that Cluster::map() answered. Those who wait use wait_cluster().
  __device__ __forceinline__ void arrive_at_peer(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
#else
    simt::mbarrier_arrive(this, 0, file, line);
#endif
  }
  // The phase waits for this many bytes, too.
  __device__ __forceinline__ void arrive_expect(unsigned bytes PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                 : "memory");
#else
    simt::mbarrier_arrive(this, bytes, file, line);
#endif
  }
  // Is that phase over? May sleep for a while before it says no.
  __device__ __forceinline__ bool try_wait(unsigned parity PLUSMAX_COMMA_CALLER) const {
#if defined(__CUDACC__)
    unsigned over;
    asm volatile("{\n.reg .pred over;\nmbarrier.try_wait.parity.shared.b64 over, [%1], %2;\nselp.u32 %0, 1, 0, over;\n}"
                 : "=r"(over)
                 : "r"(shared_address(this)), "r"(parity)
                 : "memory");
    return over;
#else
    return simt::mbarrier_try_wait(this, parity, simt::Scope::block, file, line);
#endif
  }
  // The same where peers arrive or store.
  __device__ __forceinline__ bool try_wait_cluster(unsigned parity PLUSMAX_COMMA_CALLER) const {
#if defined(__CUDACC__)
    unsigned over;
    asm volatile(
        "{\n.reg .pred over;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%1], %2;\n"
        "selp.u32 %0, 1, 0, over;\n}"
        : "=r"(over)
        : "r"(shared_address(this)), "r"(parity)
        : "memory");
    return over;
#else
    return simt::mbarrier_try_wait(this, parity, simt::Scope::cluster, file, line);
#endif
  }
  __device__ __forceinline__ void wait(unsigned parity PLUSMAX_COMMA_CALLER) const {
#if defined(__CUDACC__)
    while (!try_wait(parity)) {
    }
#else
    simt::mbarrier_wait(this, parity, simt::Scope::block, file, line);
#endif
  }
  __device__ __forceinline__ void wait_cluster(unsigned parity PLUSMAX_COMMA_CALLER) const {
#if defined(__CUDACC__)
    while (!try_wait_cluster(parity)) {
    }
#else
    simt::mbarrier_wait(this, parity, simt::Scope::cluster, file, line);
#endif
  }
};

// By the thread that has initialised mbarriers, before peers and copies use them.
__device__ __forceinline__ void mbarrier_init_fence(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  simt::mbarrier_init_fence(file, line);
#endif
}

}  // namespace plusmax::platform
#endif  // PLUSMAX_ASYNC
