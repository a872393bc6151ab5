// Device-side work on byte ranges of any alignment, for guards and fills. Ranges are `pieces` pieces of `bytes` bytes,
// `stride` bytes apart; gigabytes of them take milliseconds.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace plusmax::cuda {

struct Ranges {
  unsigned char* base = nullptr;
  std::size_t pieces = 0, bytes = 0, stride = 0;
};

// Sets every byte.
void fill(const Ranges&, unsigned char value, cudaStream_t);

constexpr unsigned long long kAllMatch = ~0ull;
// Lowers *first to the lowest offset from `origin` of a byte that differs from `value`. `first` is device memory.
void find_mismatch(const Ranges&, unsigned char value, const unsigned char* origin, unsigned long long* first,
                   cudaStream_t);

// Lowers *first to the lowest offset of a byte of `a` that differs from its fellow in `b`; both are 16-byte aligned.
void find_difference(const void* a, const void* b, std::size_t bytes, unsigned long long* first, cudaStream_t);

// Adds to *sum a hash of `words` 16-byte words that is the same in any order of execution. `sum` is device memory.
void add_checksum(const void* words, std::size_t count, unsigned long long* sum, cudaStream_t);

}  // namespace plusmax::cuda
