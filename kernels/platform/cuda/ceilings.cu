#include "kernels/platform/cuda/ceilings.cuh"

#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"

namespace plusmax::cuda {
namespace {

// One tile of kUnroll 16-byte vectors a thread and block; plain loads beat bulk copies and persistent grids for
// reading.
template <int kThreads, int kUnroll>
__global__ void __launch_bounds__(kThreads) read_kernel(const uint4* from, std::int64_t count, unsigned* sink) {
  const std::int64_t first = block_index() * (kThreads * kUnroll) + threadIdx.x;
  uint4 v[kUnroll];
  PLUSMAX_UNROLL
  for (int i = 0; i < kUnroll; ++i) {
    const std::int64_t index = first + i * kThreads;
    v[i] = index < count ? platform::load_stream(from + index) : make_uint4(0, 0, 0, 0);
  }
  unsigned folded = 0;
  PLUSMAX_UNROLL
  for (int i = 0; i < kUnroll; ++i) folded ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  if (folded == 0x9e3779b9u) *sink = folded;  // keeps the loads
}

template <int kThreads, int kUnroll>
__global__ void __launch_bounds__(kThreads) copy_kernel(const uint4* from, uint4* to, std::int64_t count) {
  const std::int64_t first = block_index() * (kThreads * kUnroll) + threadIdx.x;
  uint4 v[kUnroll];
  PLUSMAX_UNROLL
  for (int i = 0; i < kUnroll; ++i) {
    const std::int64_t index = first + i * kThreads;
    if (index < count) v[i] = __ldcs(from + index);
  }
  PLUSMAX_UNROLL
  for (int i = 0; i < kUnroll; ++i) {
    const std::int64_t index = first + i * kThreads;
    v[i].x ^= 0x00010001u;  // in place, a store of what is there already could be dropped
    if (index < count) platform::store_stream(to + index, v[i]);
  }
}

template <int kThreads, int kUnroll>
platform::LaunchConfig config(std::int64_t count, void* stream) {
  constexpr std::int64_t kTile = kThreads * kUnroll;
  return {.grid = grid_of((count + kTile - 1) / kTile), .block = dim3(kThreads), .stream = stream};
}

template <int kThreads, int kUnroll>
Status launch_read(const void* from, std::int64_t count, unsigned* sink, void* stream) {
  return platform::launch(config<kThreads, kUnroll>(count, stream), read_kernel<kThreads, kUnroll>,
                          static_cast<const uint4*>(from), count, sink);
}
template <int kThreads, int kUnroll>
Status launch_copy(const void* from, void* to, std::int64_t count, void* stream) {
  return platform::launch(config<kThreads, kUnroll>(count, stream), copy_kernel<kThreads, kUnroll>,
                          static_cast<const uint4*>(from), static_cast<uint4*>(to), count);
}

}  // namespace

int ceiling_shapes(Traffic) { return 3; }

Status launch_ceiling(Traffic traffic, int shape, const void* from, void* to, std::size_t bytes, unsigned* sink,
                      void* stream) {
  const auto count = static_cast<std::int64_t>(bytes / 16);
  if (count == 0) return {};
  if (traffic == Traffic::read) {
    if (shape == 0) return launch_read<256, 4>(from, count, sink, stream);
    if (shape == 1) return launch_read<256, 8>(from, count, sink, stream);
    return launch_read<512, 4>(from, count, sink, stream);
  }
  if (shape == 0) return launch_copy<512, 2>(from, to, count, stream);
  if (shape == 1) return launch_copy<256, 4>(from, to, count, stream);
  return launch_copy<512, 4>(from, to, count, stream);
}

}  // namespace plusmax::cuda
