// Correct kernels that use every means of synchronisation, and the same with one of them left out.
#pragma once

#include "kernels/platform/launch.hpp"

namespace plusmax::planted {

// What is left out.
enum class Missing {
  nothing,
  barrier_before_read,     // between a store to shared memory and the load of it
  barrier_before_reuse,    // between two uses of the same scratch
  warp_barrier,            // between lanes that exchange through shared memory
  cluster_barrier,         // before reading a peer's result
  exit_barrier,            // while a peer may still read
  release,                 // the ticket is drawn by a relaxed atomic
  barrier_before_release,  // other threads' partial results are not before the ticket
  acquire,                 // the last block reads without having acquired
  barrier_after_acquire,   // only the thread that drew the ticket knows
  fence_before,            // as release, with fences
  fence_after,             // as acquire, with fences
  fence_too_early,         // the partial result is stored after the fence
  flag_release,
  flag_acquire,
  launch_wait,  // of a programmatic launch
  atomic,       // a plain sum instead of an atomic one
};

// out[0 .. gridDim) = sum of in[0 .. n), by a block reduction that uses its scratch twice.
Status block_sum(Missing, const float* in, int n, float* out, unsigned blocks, unsigned threads);
// out[t] = in[t ^ 1] of each warp, through shared memory; `half`: each half warp for itself.
Status warp_exchange(Missing, const float* in, float* out, bool half);
// out[row] = sum of a row, one cluster a row.
Status cluster_sum(Missing, const float* in, int n, float* out, unsigned rows, unsigned cluster);
// out[0] = sum of in[0 .. blocks * 64), combined by the block that comes last. `partial`: [blocks, 2], `ticket`: 0.
Status last_block_sum(Missing, bool fences, const float* in, float* partial, unsigned* ticket, float* out,
                      unsigned blocks);
// Block 1 of a cluster waits for block 0's flag, then reads what block 0 wrote to `message`.
Status flagged_message(Missing, float* message, unsigned* flag, float* out);
// out[i] = in[i] + 1 in a programmatic launch.
Status dependent_add(Missing, const float* in, float* out);
// *total += 1 by every thread of the grid.
Status count_threads(Missing, float* total, unsigned blocks, unsigned threads);

}  // namespace plusmax::planted
