// The workspace of one call, which holds anything at entry: what a count of the targets leaves for the rows, and what
// the rows leave for the reduced loss. Slices are summed by a block each; whoever needs the total adds the slices up
// himself, in their order, so that no kernel waits for another inside the call.
#pragma once

#include "kernels/cross_entropy/params.hpp"
#include "kernels/primitives/block_sum.cuh"
#include "kernels/primitives/dtype.cuh"

#include <cstddef>

namespace plusmax::cross_entropy {

// Of a slice of rows and classes: weights of the counted targets, counted rows, bad targets, weights of the classes.
struct CountPart : Sums<4> {};
// Of a slice of rows: their losses without the z-loss, their z-losses.
struct LossPart : Sums<2> {};

constexpr int kMaxSlices = 256;
constexpr std::int64_t kSliceRows = 8192;  // one block up to here, beside which rows may start (count.cu)

__host__ __device__ constexpr int slices_of(std::int64_t items) {
  const std::int64_t wanted = (items + kSliceRows - 1) / kSliceRows;
  return wanted < 1 ? 1 : wanted > kMaxSlices ? kMaxSlices : static_cast<int>(wanted);
}
__host__ __device__ constexpr std::int64_t slice_length(std::int64_t items) {
  const int slices = slices_of(items);
  return (items + slices - 1) / slices;
}
// Of the block that sums a slice.
constexpr int kFewSliceThreads = 64, kSliceThreads = 512;
__host__ __device__ constexpr int slice_threads(std::int64_t items) {
  return items <= 8 * kFewSliceThreads ? kFewSliceThreads : kSliceThreads;
}
// launch(threads), a constant of the type that it has.
template <class Launch>
auto with_slice_threads(std::int64_t items, Launch&& launch) {
  return slice_threads(items) == kFewSliceThreads ? launch(std::integral_constant<int, kFewSliceThreads>{})
                                                  : launch(std::integral_constant<int, kSliceThreads>{});
}

// Whether smoothing asks for the sum of all class weights.
__host__ __device__ inline bool sums_weights(const Params& p) {
  return p.weights != nullptr && p.options.label_smoothing > 0;
}
__host__ __device__ inline std::int64_t counted_items(const Params& p) {
  return sums_weights(p) && p.cols > p.rows ? p.cols : p.rows;
}
// Whether the mean is over what this call's targets count.
__host__ __device__ inline bool counts_divisors(const Params& p) {
  return p.options.reduction == PLUSMAX_MEAN && p.normalizer == nullptr;
}
__host__ __device__ inline bool reduces(const Params& p) {
  return p.loss != nullptr || p.num_valid != nullptr || p.bad_targets != nullptr;
}
__host__ __device__ inline bool counts(const Params& p) { return reduces(p) || counts_divisors(p) || sums_weights(p); }

struct Workspace {
  unsigned* ticket;                // of the reduction
  unsigned long long* handed_out;  // rows that cluster_per_row has dealt out
  CountPart* counts;               // [slices_of(counted_items)]
  LossPart* losses;                // [slices_of(rows)]
  void* row_losses;                // [rows, 2] of the type that accumulates: without the z-loss, the z-loss
  unsigned char* rest;             // the variant's own
};

constexpr std::size_t kHeadBytes = 256;  // ticket and handed_out
constexpr std::size_t kPartBytes = kMaxSlices * (sizeof(CountPart) + sizeof(LossPart));

__host__ __device__ inline std::size_t call_bytes(const Params& p) {
  if (!counts(p)) return 0;
  const std::size_t rows = p.loss == nullptr ? 0 : static_cast<std::size_t>(p.rows);
  const std::size_t losses = rows * 2 * static_cast<std::size_t>(result_size(p.dtype));
  return kHeadBytes + kPartBytes + (losses + 255) / 256 * 256;
}

__host__ __device__ inline Workspace layout(const Params& p, void* workspace) {
  // Numbers until the end: a call that needs none has none to point into.
  const auto base = reinterpret_cast<std::uintptr_t>(workspace), counts = base + kHeadBytes;
  const std::uintptr_t losses = counts + kMaxSlices * sizeof(CountPart);
  return {reinterpret_cast<unsigned*>(base),
          reinterpret_cast<unsigned long long*>(base + 8),
          reinterpret_cast<CountPart*>(counts),
          reinterpret_cast<LossPart*>(losses),
          reinterpret_cast<void*>(losses + kMaxSlices * sizeof(LossPart)),
          reinterpret_cast<unsigned char*>(base + call_bytes(p))};
}

// The sum over all slices, by one warp. All lanes get it.
__device__ PLUSMAX_INLINE_ON_DEVICE CountPart read_counts(const Params& p, const Workspace& space) {
  return {warp_sums_of<4>(slices_of(counted_items(p)), [&](int slice) { return space.counts[slice]; })};
}

}  // namespace plusmax::cross_entropy
