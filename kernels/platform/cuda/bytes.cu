#include "kernels/platform/cuda/bytes.cuh"

#include "kernels/platform/cuda/call.hpp"
#include "kernels/platform/launch.hpp"

#include <algorithm>

namespace plusmax::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::size_t kChunk = 64 * 1024;  // bytes of a piece that one block takes at a time
constexpr std::size_t kMaxBlocks = 4096;   // they walk over the rest

// Calls bytes(pointer, count) for the ragged ends and word(pointer) for the aligned middle of this block's chunks.
template <class Byte, class Word>
__device__ void for_each(const Ranges& ranges, Byte&& byte, Word&& word) {
  const std::size_t chunks = (ranges.bytes + kChunk - 1) / kChunk;
  for (std::size_t task = blockIdx.x; task < ranges.pieces * chunks; task += gridDim.x) {
    const std::size_t start = task % chunks * kChunk;
    unsigned char* first = ranges.base + task / chunks * ranges.stride + start;
    const std::size_t count = min(kChunk, ranges.bytes - start);
    const std::size_t head = min(count, static_cast<std::size_t>((0 - reinterpret_cast<std::uintptr_t>(first)) % 16));
    const std::size_t words = (count - head) / 16;
    for (std::size_t i = threadIdx.x; i < head; i += kThreads) byte(first + i);
    for (std::size_t i = threadIdx.x; i < words; i += kThreads) word(reinterpret_cast<uint4*>(first + head) + i);
    for (std::size_t i = head + words * 16 + threadIdx.x; i < count; i += kThreads) byte(first + i);
  }
}

__global__ void fill_kernel(Ranges ranges, unsigned char value) {
  const unsigned four = value * 0x01010101u;
  for_each(
      ranges, [=](unsigned char* at) { *at = value; }, [=](uint4* at) { *at = make_uint4(four, four, four, four); });
}

__global__ void mismatch_kernel(Ranges ranges, unsigned char value, const unsigned char* origin,
                                unsigned long long* first) {
  const unsigned four = value * 0x01010101u;
  const auto byte = [=](const unsigned char* at) {
    if (*at != value) atomicMin(first, static_cast<unsigned long long>(at - origin));
  };
  const auto word = [=](const uint4* at) {
    const uint4 w = *at;
    if (w.x == four && w.y == four && w.z == four && w.w == four) return;
    for (int i = 0; i < 16; ++i) byte(reinterpret_cast<const unsigned char*>(at) + i);
  };
  for_each(ranges, byte, word);
}

__device__ unsigned long long mix(unsigned long long z) {  // the finalizer of splitmix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

__global__ void checksum_kernel(const uint4* words, std::size_t count, unsigned long long* sum) {
  unsigned long long mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kThreads) {
    const uint4 w = words[i];
    mine += mix((static_cast<unsigned long long>(w.x) << 32 | w.y) + mix(2 * i)) +
            mix((static_cast<unsigned long long>(w.z) << 32 | w.w) + mix(2 * i + 1));
  }
  atomicAdd(sum, mine);
}

__global__ void difference_kernel(const unsigned char* a, const unsigned char* b, std::size_t bytes,
                                  unsigned long long* first) {
  const std::size_t thread = blockIdx.x * std::size_t{kThreads} + threadIdx.x,
                    threads = std::size_t{gridDim.x} * kThreads;
  const auto byte = [=](std::size_t at) {
    if (a[at] != b[at]) atomicMin(first, static_cast<unsigned long long>(at));
  };
  const std::size_t words = bytes / 16;
  for (std::size_t i = thread; i < words; i += threads) {
    const uint4 x = reinterpret_cast<const uint4*>(a)[i], y = reinterpret_cast<const uint4*>(b)[i];
    if (x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w) continue;
    for (int k = 0; k < 16; ++k) byte(i * 16 + k);
  }
  for (std::size_t at = words * 16 + thread; at < bytes; at += threads) byte(at);
}

unsigned blocks(std::size_t wanted) { return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, kMaxBlocks)); }
unsigned blocks(const Ranges& ranges) { return blocks(ranges.pieces * ((ranges.bytes + kChunk - 1) / kChunk)); }

void launched(const Status& status) {
  if (!status.ok()) throw DeviceError(status.message);
}

}  // namespace

void fill(const Ranges& ranges, unsigned char value, cudaStream_t stream) {
  if (ranges.pieces == 0 || ranges.bytes == 0) return;
  launched(platform::launch({.grid = dim3(blocks(ranges)), .block = dim3(kThreads), .stream = stream}, fill_kernel,
                            ranges, value));
}

void find_mismatch(const Ranges& ranges, unsigned char value, const unsigned char* origin, unsigned long long* first,
                   cudaStream_t stream) {
  if (ranges.pieces == 0 || ranges.bytes == 0) return;
  launched(platform::launch({.grid = dim3(blocks(ranges)), .block = dim3(kThreads), .stream = stream}, mismatch_kernel,
                            ranges, value, origin, first));
}

void find_difference(const void* a, const void* b, std::size_t bytes, unsigned long long* first, cudaStream_t stream) {
  if (bytes == 0) return;
  launched(platform::launch(
      {.grid = dim3(blocks((bytes / 16 + kThreads - 1) / kThreads)), .block = dim3(kThreads), .stream = stream},
      difference_kernel, static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b), bytes, first));
}

void add_checksum(const void* words, std::size_t count, unsigned long long* sum, cudaStream_t stream) {
  if (count == 0) return;
  launched(platform::launch(
      {.grid = dim3(blocks((count + kThreads - 1) / kThreads)), .block = dim3(kThreads), .stream = stream},
      checksum_kernel, static_cast<const uint4*>(words), count, sum));
}

}  // namespace plusmax::cuda
