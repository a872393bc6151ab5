// The numbers of linear_cross_entropy's planner.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plusmax::linear_cross_entropy {

// Rows of a chunk: whole tiles of any of cuBLASLt's kernels.
constexpr std::int64_t kChunkUnit = 128;
// H200, 8192 x 128256 x 4096, bf16, f32 sums of dW, over the three products alone: chunks of 2048 1.06, of 1024 1.10,
// of 512 1.39: the traffic of the sums is no longer hidden.
constexpr std::int64_t kWantedChunk = 2048;
// Shorter chunks than this cost more than the fourth product of slices.
constexpr std::int64_t kLeastChunk = 1024;
// Classes of a slice, in whole lines of the logits and of the bias in any type. H200, loss alone of the same sizes, over
// the product alone under load: slices of 4224 1.13, of 8192 1.04, of 16896 1.03, of 33792 1.01.
constexpr std::int64_t kSliceUnit = 128;
constexpr std::int64_t kWantedSlice = 32768;
// Of the block that takes a row's part in a slice: full batches of loads from 8192 classes of 16 bits on. With 512 at
// 32128 classes an H200 takes 0.67 ms for the sums of 8192 x 128256, with 256 0.52.
constexpr int kSliceSumThreads = 256;
// Rows of a chain of the column sums.
constexpr int kColumnChain = 32;
// Workspace of a product: what NVIDIA recommends for sm_90, but no more than this part of the budget.
constexpr std::size_t kProductBytes = std::size_t{32} << 20;
constexpr std::size_t kProductShare = 16;

}  // namespace plusmax::linear_cross_entropy
