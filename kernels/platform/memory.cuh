// Loads and stores of 16 aligned bytes that say what the caches should make of them.
#pragma once

#include "kernels/platform/cuda.cuh"

namespace plusmax::platform {

// 16 aligned bytes that this launch only reads, and reads often.
__device__ __forceinline__ uint4 load_cached(const void* address) {
#if defined(__CUDACC__)
  return __ldg(static_cast<const uint4*>(address));
#else
  simt::check_aligned(address, 16);
  return *static_cast<const uint4*>(address);
#endif
}

// 16 aligned bytes, by one instruction: a plain store of a value that was made in parts was seen to become four.
__device__ __forceinline__ void store_vector(void* address, uint4 v) {
#if defined(__CUDACC__)
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
#else
  simt::check_aligned(address, 16);
  *static_cast<uint4*>(address) = v;
#endif
}

#if defined(__CUDACC__)
// A policy of the L2 cache, for `ld` and `st` with a cache hint.
__device__ __forceinline__ std::uint64_t evict_last_policy() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ std::uint64_t evict_first_policy() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ uint4 load_with(std::uint64_t policy, const void* address) {
  uint4 v;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address), "l"(policy)
               : "memory");
  return v;
}
#endif

// As load_mutable, of what this block reads again soon: it stays in L2 before everything else.
__device__ __forceinline__ uint4 load_to_reread(const void* address) {
#if defined(__CUDACC__)
  return load_with(evict_last_policy(), address);
#else
  return load_mutable(address);
#endif
}
// The second time: it makes room first, and so does what is stored in its place.
__device__ __forceinline__ uint4 load_again(const void* address) {
#if defined(__CUDACC__)
  return load_with(evict_first_policy(), address);
#else
  return load_mutable(address);
#endif
}
__device__ __forceinline__ void store_behind_reread(void* address, uint4 v) {
#if defined(__CUDACC__)
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(address), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w), "l"(evict_first_policy())
               : "memory");
#else
  simt::check_aligned(address, 16);
  *static_cast<uint4*>(address) = v;
#endif
}

}  // namespace plusmax::platform
