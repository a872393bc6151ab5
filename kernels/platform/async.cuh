// Copies that run beside the threads, and land late. From sm_90: see PLUSMAX_ASYNC.
#pragma once

#include "kernels/platform/mbarrier.cuh"

#if PLUSMAX_ASYNC
namespace plusmax::platform {

// Copies from global to shared memory and counts `bytes` on the barrier, which lies in the same block as `to`. All
// three are multiples of 16. Until the barrier's phase is over nobody touches `to`, or stores to `from`.
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes,
                                          Mbarrier* barrier PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
#else
  simt::bulk_load(to, from, bytes, barrier, file, line);
#endif
}

// Copies from this block's shared to global memory; all three are multiples of 16. Threads that wrote `from` call
// fence_proxy_async() before the barrier that leads to the store. bulk_commit() makes a group of the thread's stores
// since the last one.
__device__ __forceinline__ void bulk_store(void* to, const void* from, unsigned bytes PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes)
               : "memory");
#else
  simt::bulk_store(to, from, bytes, file, line);
#endif
}
__device__ __forceinline__ void bulk_commit(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  simt::bulk_commit(file, line);
#endif
}
// Until all but the thread's last `kPending` groups have read their sources, which may be overwritten then.
template <int kPending>
__device__ __forceinline__ void bulk_wait_read(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
#else
  simt::bulk_wait(kPending, true, file, line);
#endif
}
// Until they have written their destinations.
template <int kPending>
__device__ __forceinline__ void bulk_wait(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
#else
  simt::bulk_wait(kPending, false, file, line);
#endif
}

// Makes what this thread wrote to shared memory, or learnt at a barrier, visible to copies issued later.
__device__ __forceinline__ void fence_proxy_async(PLUSMAX_CALLER) {
#if defined(__CUDACC__)
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
  simt::fence_proxy_async(file, line);
#endif
}

// Stores 4, 8 or 16 bytes, aligned to as many, into the shared memory of a peer and counts them on a barrier there:
// both addresses come from Cluster::map(). The peer waits by wait_cluster().
template <class T>
__device__ __forceinline__ void store_async(T* to, const T& value, Mbarrier* barrier PLUSMAX_COMMA_CALLER) {
  static_assert((sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) && std::is_trivially_copyable_v<T>,
                "4, 8 or 16 bytes travel");
#if defined(__CUDACC__)
  unsigned word[sizeof(T) / 4];
  memcpy(word, &value, sizeof(T));
  const unsigned address = shared_address(to), counter = shared_address(barrier);
  if constexpr (sizeof(T) == 4)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(address),
                 "r"(word[0]), "r"(counter)
                 : "memory");
  else if constexpr (sizeof(T) == 8)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(address),
                 "r"(word[0]), "r"(word[1]), "r"(counter)
                 : "memory");
  else
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(address),
        "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]), "r"(counter)
        : "memory");
#else
  simt::store_async(to, &value, sizeof(T), barrier, file, line);
#endif
}

}  // namespace plusmax::platform
#endif  // PLUSMAX_ASYNC
