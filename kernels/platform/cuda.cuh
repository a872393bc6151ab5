// The machine, as kernels see it: CUDA under nvcc, plain C++ on the host machine elsewhere. The only header that a
// kernel includes for it. Each PTX instruction is one function of a few lines, with its host twin beside it; a twin
// checks what x86 forgives and a GPU does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
// Static shared memory: `T name[N]`, and dynamic shared memory: `T* name`, 16-byte aligned.
#define PLUSMAX_SHARED(T, name, N) __shared__ T name[N]
#define PLUSMAX_SHARED_DYNAMIC(T, name)                                   \
  extern __shared__ __align__(16) unsigned char plusmax_dynamic_shared[]; \
  T* name = reinterpret_cast<T*>(plusmax_dynamic_shared)
#else
#include "kernels/platform/host/simt.hpp"
#define PLUSMAX_SHARED(T, name, N)                                                               \
  static ::plusmax::simt::SharedSite name##_site{#name, sizeof(T) * std::size_t(N), alignof(T)}; \
  T(&name)[N] = *reinterpret_cast<T(*)[N]>(::plusmax::simt::static_shared(name##_site))
#define PLUSMAX_SHARED_DYNAMIC(T, name) T* name = reinterpret_cast<T*>(::plusmax::simt::dynamic_shared())
#endif

// Before a loop whose trip count is known when compiling.
#if defined(__CUDACC__) || defined(__clang__)
#define PLUSMAX_UNROLL _Pragma("unroll")
#else
#define PLUSMAX_UNROLL _Pragma("GCC unroll 16")
#endif

// The same where only a GPU gains from it: long bodies, which the host would compile for minutes.
#if defined(__CUDACC__)
#define PLUSMAX_UNROLL_ON_DEVICE _Pragma("unroll")
#else
#define PLUSMAX_UNROLL_ON_DEVICE
#endif

// Likewise a function that a GPU must not call, and that the host compiles once instead of into every kernel.
#if defined(__CUDACC__)
#define PLUSMAX_INLINE_ON_DEVICE __forceinline__
#else
#define PLUSMAX_INLINE_ON_DEVICE inline
#endif

// The line of the caller, for the host's messages.
#if defined(__CUDACC__)
#define PLUSMAX_CALLER
#define PLUSMAX_COMMA_CALLER
#else
#define PLUSMAX_CALLER PLUSMAX_HERE
#define PLUSMAX_COMMA_CALLER , PLUSMAX_HERE
#endif

namespace plusmax::platform {

#if defined(__CUDACC__)
enum class Order : unsigned char { relaxed, acquire, release, acq_rel };
#else
using simt::Order;
#endif

// ---- memory -------------------------------------------------------------------------------------

// 16 aligned bytes that the whole grid only reads, and reads once.
__device__ __forceinline__ uint4 load_stream(const void* address) {
#if defined(__CUDACC__)
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address));
  return v;
#else
  simt::check_aligned(address, 16);
  return *static_cast<const uint4*>(address);
#endif
}

// 16 aligned bytes that this launch reads once and may overwrite afterwards, which the read-only path does not allow.
__device__ __forceinline__ uint4 load_mutable(const void* address) {
#if defined(__CUDACC__)
  uint4 v;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address)
               : "memory");
  return v;
#else
  simt::check_aligned(address, 16);
  return *static_cast<const uint4*>(address);
#endif
}

// 16 aligned bytes that nobody reads again soon.
__device__ __forceinline__ void store_stream(void* address, uint4 v) {
#if defined(__CUDACC__)
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
#else
  simt::check_aligned(address, 16);
  *static_cast<uint4*>(address) = v;
#endif
}

// ---- shuffles of whole structs: one 32-bit shuffle a word on the GPU, one collective per 8 bytes on the host ----

#if defined(__CUDACC__)
template <class T, class Shuffle>
__device__ __forceinline__ T shuffle_words(const T& value, Shuffle&& shuffle_word) {
  static_assert(sizeof(T) % 4 == 0 && std::is_trivially_copyable_v<T>, "shuffles move whole 32-bit words");
  unsigned words[sizeof(T) / 4];
  memcpy(words, &value, sizeof(T));
  PLUSMAX_UNROLL
  for (unsigned& word : words) word = shuffle_word(word);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}
#else
template <class T>
inline T shuffle_words(const T& value, unsigned mask, unsigned source, const char* file, int line) {
  static_assert(sizeof(T) % 4 == 0 && std::is_trivially_copyable_v<T>, "shuffles move whole 32-bit words");
  std::uint64_t words[(sizeof(T) + 7) / 8] = {};
  std::memcpy(words, &value, sizeof(T));
  for (std::uint64_t& word : words) word = simt::shuffle(mask, word, source, file, line);
  T result;
  std::memcpy(&result, words, sizeof(T));
  return result;
}
#endif

// The value of lane `source`; all lanes of `mask` call it together.
template <class T>
__device__ __forceinline__ T shuffle(T value, int source, unsigned mask = 0xffffffffu PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  return shuffle_words(value, [=](unsigned word) { return __shfl_sync(mask, word, source); });
#else
  return shuffle_words(value, mask, simt::source_index(source, 32), file, line);
#endif
}
// The value of lane `lane ^ lane_mask`.
template <class T>
__device__ __forceinline__ T shuffle_xor(T value, int lane_mask, unsigned mask = 0xffffffffu PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  return shuffle_words(value, [=](unsigned word) { return __shfl_xor_sync(mask, word, lane_mask); });
#else
  return shuffle_words(value, mask, simt::source_xor(lane_mask, 32), file, line);
#endif
}
// The value of lane `lane + delta`, or the lane's own past the end.
template <class T>
__device__ __forceinline__ T shuffle_down(T value, unsigned delta, unsigned mask = 0xffffffffu PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  return shuffle_words(value, [=](unsigned word) { return __shfl_down_sync(mask, word, delta); });
#else
  return shuffle_words(value, mask, simt::source_down(delta, 32), file, line);
#endif
}
// The value of lane `lane - delta`, or the lane's own before the start.
template <class T>
__device__ __forceinline__ T shuffle_up(T value, unsigned delta, unsigned mask = 0xffffffffu PLUSMAX_COMMA_CALLER) {
#if defined(__CUDACC__)
  return shuffle_words(value, [=](unsigned word) { return __shfl_up_sync(mask, word, delta); });
#else
  return shuffle_words(value, mask, simt::source_up(delta, 32), file, line);
#endif
}

// ---- atomics and order, device scope ------------------------------------------------------------

#if defined(__CUDACC__)
#define PLUSMAX_ATOM_ADD(order, type, constraint)                     \
  asm volatile("atom." order ".gpu.global.add." type " %0, [%1], %2;" \
               : "=" constraint(old)                                  \
               : "l"(address), constraint(value)                      \
               : "memory")
#endif
// *address += value; answers the value before. Release: what this thread did, or learnt at a barrier, before is visible
// to whoever acquires the result; acquire: the reverse.
__device__ __forceinline__ unsigned atomic_add(unsigned* address, unsigned value, Order order) {
#if defined(__CUDACC__)
  unsigned old;
  switch (order) {
    case Order::relaxed:
      PLUSMAX_ATOM_ADD("relaxed", "u32", "r");
      break;
    case Order::acquire:
      PLUSMAX_ATOM_ADD("acquire", "u32", "r");
      break;
    case Order::release:
      PLUSMAX_ATOM_ADD("release", "u32", "r");
      break;
    default:
      PLUSMAX_ATOM_ADD("acq_rel", "u32", "r");
      break;
  }
  return old;
#else
  return simt::atomic_update(address, order, [=](unsigned old) { return old + value; });
#endif
}
__device__ __forceinline__ unsigned long long atomic_add(unsigned long long* address, unsigned long long value,
                                                         Order order) {
#if defined(__CUDACC__)
  unsigned long long old;
  switch (order) {
    case Order::relaxed:
      PLUSMAX_ATOM_ADD("relaxed", "u64", "l");
      break;
    case Order::acquire:
      PLUSMAX_ATOM_ADD("acquire", "u64", "l");
      break;
    case Order::release:
      PLUSMAX_ATOM_ADD("release", "u64", "l");
      break;
    default:
      PLUSMAX_ATOM_ADD("acq_rel", "u64", "l");
      break;
  }
  return old;
#else
  return simt::atomic_update(address, order, [=](unsigned long long old) { return old + value; });
#endif
}
#if defined(__CUDACC__)
#undef PLUSMAX_ATOM_ADD
#endif

// Reads a word; what its writer released is visible afterwards.
__device__ __forceinline__ unsigned load_acquire(const unsigned* address) {
#if defined(__CUDACC__)
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
#else
  return unsigned(simt::atomic_look(address, 4, simt::Access::load, Order::acquire));
#endif
}
// Reads a word that others may be writing; orders nothing.
__device__ __forceinline__ unsigned load_relaxed(const unsigned* address) {
#if defined(__CUDACC__)
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
#else
  return unsigned(simt::atomic_look(address, 4, simt::Access::load, Order::relaxed));
#endif
}
// Writes a word; what this thread did before is visible to whoever acquires it.
__device__ __forceinline__ void store_release(unsigned* address, unsigned value) {
#if defined(__CUDACC__)
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
#else
  simt::atomic_look(address, 4, simt::Access::store, Order::release);
  simt::atomic_put(address, 4, value);
#endif
}
// Writes a word that others may be reading; orders nothing.
__device__ __forceinline__ void store_relaxed(unsigned* address, unsigned value) {
#if defined(__CUDACC__)
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
#else
  simt::atomic_look(address, 4, simt::Access::store, Order::relaxed);
  simt::atomic_put(address, 4, value);
#endif
}
// Orders this thread's accesses before it with its accesses after it, as seen by the device. With relaxed atomics of
// the same thread it makes a release (fence, then atomic) or an acquire (atomic, then fence).
__device__ __forceinline__ void threadfence() { __threadfence(); }

// In a loop that waits for another thread.
__device__ __forceinline__ void pause() {
#if defined(__CUDACC__)
  __nanosleep(20);
#else
  simt::pause();
#endif
}

// ---- programmatic dependent launch: nothing before sm_90 ----------------------------------------

// Waits until the launch before this one in the stream is complete and visible. Call it before touching its memory.
__device__ __forceinline__ void grid_dependency_wait() {
#if !defined(__CUDACC__)
  simt::grid_dependency_wait();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the next launch start while this one is running.
__device__ __forceinline__ void grid_dependency_trigger() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// ---- clusters: before sm_90 every block is a cluster of its own ----------------------------------

struct Cluster {
  __device__ __forceinline__ unsigned rank() const {
#if !defined(__CUDACC__)
    return simt::cluster_rank();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
#else
    return 0;
#endif
  }
  __device__ __forceinline__ unsigned size() const {
#if !defined(__CUDACC__)
    return simt::cluster_size();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
#else
    return 1;
#endif
  }
  // Barrier of all threads of the cluster, in halves: between arrive() and wait() touch nothing of your peers.
  __device__ __forceinline__ void arrive(PLUSMAX_CALLER) const {
#if !defined(__CUDACC__)
    simt::cluster_arrive(file, line);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
  }
  __device__ __forceinline__ void wait(PLUSMAX_CALLER) const {
#if !defined(__CUDACC__)
    simt::cluster_wait(file, line);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#elif defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  __device__ __forceinline__ void sync(PLUSMAX_CALLER) const {
#if defined(__CUDACC__)
    arrive();
    wait();
#else
    arrive(file, line);
    wait(file, line);
#endif
  }
  // The same variable in the shared memory of block `rank`. That block must have started (sync() first) and must not
  // have left (sync() last).
  template <class T>
  __device__ __forceinline__ T* map(T* address, unsigned rank) const {
#if !defined(__CUDACC__)
    return static_cast<T*>(simt::map_shared_rank(address, rank));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    T* mapped;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return mapped;
#else
    return address;
#endif
  }
};

}  // namespace plusmax::platform
