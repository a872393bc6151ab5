// Rows between the caller's memory and a chunk, by one block each.
#pragma once

#include "kernels/linear_cross_entropy/workspace.hpp"
#include "kernels/platform/memory.cuh"
#include "kernels/primitives/row.cuh"

namespace plusmax::linear_cross_entropy {

// By vectors where both rows begin on one, otherwise by elements. Nobody writes `from` meanwhile.
template <class T>
__device__ __forceinline__ void copy_row(const T* from, T* to, std::int64_t count) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const auto together = reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to);
  const std::int64_t vectors = together % kVectorBytes == 0 ? count / Vector<T>::kElements : 0;
  for (std::int64_t i = thread; i < vectors; i += threads)
    platform::store_vector(reinterpret_cast<uint4*>(to) + i,
                           platform::load_stream(reinterpret_cast<const uint4*>(from) + i));
  for (std::int64_t i = vectors * Vector<T>::kElements + thread; i < count; i += threads) to[i] = from[i];
}

// Each element rounded.
template <class T>
__device__ __forceinline__ void narrow_row(const float* from, T* to, std::int64_t count) {
  for (std::int64_t i = static_cast<int>(threadIdx.x); i < count; i += blockDim.x) to[i] = Element<T>::narrow(from[i]);
}

template <class T>
__device__ __forceinline__ void fill_row(T* to, std::int64_t count, T value) {
  for (std::int64_t i = static_cast<int>(threadIdx.x); i < count; i += blockDim.x) to[i] = value;
}

// What a token has beside its gradient.
struct Results {
  float loss_row, z_loss, lse;
  float loss, z_part;  // for the reduced loss: without the z-loss, the z-loss
  std::int64_t argmax;
};

__device__ __forceinline__ void store_results(const Params& p, const Workspace& space, std::int64_t token,
                                              const Results& results) {
  if (p.loss_rows != nullptr) p.loss_rows[token] = results.loss_row;
  if (p.z_loss != nullptr) p.z_loss[token] = results.z_loss;
  if (p.lse != nullptr) p.lse[token] = results.lse;
  if (p.argmax != nullptr) p.argmax[token] = results.argmax;
  if (p.loss == nullptr) return;
  space.row_losses[2 * token] = results.loss;
  space.row_losses[2 * token + 1] = results.z_part;
}

}  // namespace plusmax::linear_cross_entropy
