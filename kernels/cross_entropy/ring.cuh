// A block's share of a ring: slots of shared memory that one warp fills by bulk copies and the others use and free, and
// what the two sides tell each other. tests/simt/ring.cuh is its skeleton, where each part is left out once.
#pragma once

#include "kernels/cross_entropy/config.hpp"
#include "kernels/platform/async.cuh"
#include "kernels/platform/named_barrier.cuh"
#include "kernels/primitives/warp.cuh"

#if PLUSMAX_ASYNC
namespace plusmax::cross_entropy {

// Where a side stands in the ring: the slot, and the parity of its current phase.
struct RingPosition {
  int slot = 0;
  unsigned phase = 0;
  __device__ __forceinline__ void advance() {
    if (++slot < kRingSlots) return;
    slot = 0;
    phase ^= 1;
  }
};

struct RingBarriers {
  platform::Mbarrier full[kRingSlots];   // the loading warp, and the bytes
  platform::Mbarrier empty[kRingSlots];  // each using warp
  platform::Mbarrier told[2];            // a row's number is in `dealt`, by parity of the turn
  platform::Mbarrier taken[2];           // the loading warp has read it
  platform::Mbarrier met[2];             // every rank's message is here
  int dealt[2];

  // By one thread; message_bytes: of all ranks together.
  __device__ __forceinline__ void init(unsigned message_bytes) {
    for (int s = 0; s < kRingSlots; ++s) {
      full[s].init(1);
      empty[s].init(kRingWarps);
    }
    for (int parity = 0; parity < 2; ++parity) {
      told[parity].init(1);
      taken[parity].init(1);
      met[parity].init(1);
      met[parity].arrive_expect(message_bytes);
    }
    platform::mbarrier_init_fence();
  }
};

// Rows are dealt out while the kernel runs: the first by a cluster's number, then to whoever is ready. Two ahead, so that
// a row comes in beside the one at work; one ahead (late) if that one leaves no slot free, for the fewer rows wait for
// a slow cluster, the more even is the end.
struct Turn {
  int row, next;  // next: of no meaning if dealt late
  bool late;
  unsigned count = 0;

  // segment: vectors of a rank's part of a row
  __device__ __forceinline__ Turn(int first, int clusters, int segment)
      : row(first), next(first + clusters), late(segment > (kRingSlots - 1) * kRingSlotVectors) {}
  __device__ __forceinline__ unsigned parity() const { return count & 1; }
  __device__ __forceinline__ unsigned phase() const { return count >> 1 & 1; }
  __device__ __forceinline__ void advance(int dealt) {
    row = late ? dealt : next;
    next = dealt;
    ++count;
  }
};

}  // namespace plusmax::cross_entropy
#endif  // PLUSMAX_ASYNC
