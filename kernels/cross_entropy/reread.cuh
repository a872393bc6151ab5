// A row that is read from memory in both passes, the second time from L2 where it is still there.
#pragma once

#include "kernels/platform/memory.cuh"
#include "kernels/primitives/row.cuh"

namespace plusmax::cross_entropy {

template <class T>
struct Reread {
  std::uintptr_t line;  // of vector 0

  __device__ __forceinline__ Vector<T> read(const uint4* from) const { return {platform::load_to_reread(from)}; }
  __device__ __forceinline__ void keep(std::int64_t, const Vector<T>&) const {}
  __device__ __forceinline__ Vector<T> again(std::int64_t index) const {
    return {
        platform::load_again(reinterpret_cast<const void*>(line + static_cast<std::uintptr_t>(index) * kVectorBytes))};
  }
  __device__ __forceinline__ void write(uint4* to, const Vector<T>& vector) const {
    platform::store_behind_reread(to, vector.bits);
  }
};

}  // namespace plusmax::cross_entropy
