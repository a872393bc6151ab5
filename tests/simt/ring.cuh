// The synchronisation of a cluster that keeps a row in its shared memory: in each block one warp loads pieces of the
// row into a ring of slots, the others reduce them, the blocks exchange partial results, and the result overwrites the
// row. Compiles for both machines. `Fault` says what is left out.
#pragma once

#include "kernels/platform/async.cuh"
#include "kernels/platform/launch.hpp"
#include "kernels/platform/named_barrier.cuh"

namespace plusmax::planted {

enum class Fault {
  nothing,
  no_expect,         // the phase does not wait for the bytes of the load
  too_few_bytes,     // it waits for fewer than come
  too_many_bytes,    // for more
  no_full_wait,      // slots are read without a wait
  wrong_parity,      // the wait is for the phase before
  early_free,        // slots are freed before they are read for the last time
  no_free_wait,      // slots are filled without waiting until they are free
  no_named_barrier,  // between the warps' partial results and their sum
  no_ready_barrier,  // between the loading warp's message and those who read it
  early_exit,        // while a peer may still read
  no_peer_wait,      // partial results of the peers are read at once
  no_read_wait,      // slots are freed before the bulk store has read them
  no_last_wait,      // the block leaves while its bulk stores may still read
  no_proxy_fence,    // what the threads wrote is not made visible to the bulk store
  no_init_fence,     // nor the initialised barriers to the copies
};

enum class Exchange { send, fetch };   // partial results: store_async() to the peers, or loads from them
enum class Result { direct, staged };  // stored by the threads, or by bulk stores from the slot

struct RingParams {
  Fault fault;
  Exchange exchange;
  Result result;
  float* x;             // [rows, kRingCols] -> (x - maximum) * weight + sum of the row
  const float* weight;  // [rows]
  int rows;
};

constexpr int kRingPiece = 64, kRingPieces = 3, kRingSlots = 4, kRingRanks = 2;
constexpr int kRingSegment = kRingPiece * kRingPieces, kRingCols = kRingSegment * kRingRanks;
constexpr unsigned kRingBytes = kRingPiece * sizeof(float);

struct alignas(16) RingSlot {
  float value[kRingPiece];
};
struct alignas(8) RingPart {
  float maximum, sum;
};

__device__ __forceinline__ RingPart merge(RingPart a, RingPart b) {
  return {fmaxf(a.maximum, b.maximum), a.sum + b.sum};
}
__device__ __forceinline__ RingPart merge_warp(RingPart part) {
  for (int d = 16; d; d >>= 1) part = merge(part, platform::shuffle_xor(part, d));
  return part;
}

static __global__ void ring_kernel(const RingParams p) {
#if PLUSMAX_ASYNC
  using platform::Mbarrier;
  enum : unsigned { kReady = 1, kTaken, kConsumers };
  PLUSMAX_SHARED(RingSlot, slot, kRingSlots);
  PLUSMAX_SHARED(Mbarrier, full, kRingSlots);
  PLUSMAX_SHARED(Mbarrier, empty, kRingSlots);
  PLUSMAX_SHARED(Mbarrier, met, 2);
  PLUSMAX_SHARED(RingPart, from, 2 * kRingRanks);
  PLUSMAX_SHARED(RingPart, of_warp, 2 * 32);
  PLUSMAX_SHARED(float, weight, 1);
  const platform::Cluster cluster;
  const unsigned rank = cluster.rank(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned consumers = blockDim.x - 32, warps = consumers / 32;
  const bool staged = p.result == Result::staged, send = p.exchange == Exchange::send;
  const int step = int(gridDim.x / kRingRanks);

  if (threadIdx.x == 0) {
    for (int s = 0; s < kRingSlots; ++s) {
      full[s].init(1);
      empty[s].init(staged ? 1 : warps);
    }
    for (int parity = 0; parity < 2; ++parity) {
      met[parity].init(send ? 1 : kRingRanks);
      if (send) met[parity].arrive_expect(kRingRanks * sizeof(RingPart));
    }
    if (p.fault != Fault::no_init_fence) platform::mbarrier_init_fence();
  }
  cluster.arrive();
  cluster.wait();

  unsigned s = 0, phase = 0;
  const auto next_slot = [&](unsigned& at, unsigned& turn) {
    if (++at == kRingSlots) {
      at = 0;
      turn ^= 1;
    }
  };
  const auto segment = [&](int row) { return p.x + std::size_t(row) * kRingCols + rank * kRingSegment; };

  if (warp == warps) {  // loads
    int used = 0;
    for (int row = int(blockIdx.x) / kRingRanks; row < p.rows; row += step) {
      for (int piece = 0; lane == 0 && piece < kRingPieces; ++piece) {
        if (used++ >= kRingSlots && p.fault != Fault::no_free_wait) empty[s].wait(phase ^ 1);
        if (p.fault == Fault::no_expect)
          full[s].arrive();
        else
          full[s].arrive_expect(p.fault == Fault::too_few_bytes    ? kRingBytes - 16
                                : p.fault == Fault::too_many_bytes ? kRingBytes + 16
                                                                   : kRingBytes);
        platform::bulk_load(slot[s].value, segment(row) + piece * kRingPiece, kRingBytes, &full[s]);
        next_slot(s, phase);
      }
      __syncwarp();
      if (row >= step) platform::named_sync(kTaken, blockDim.x);
      if (lane == 0) weight[0] = p.weight[row];
      if (p.fault != Fault::no_ready_barrier) platform::named_arrive(kReady, blockDim.x);
    }
  } else {
    unsigned turn = 0;
    for (int row = int(blockIdx.x) / kRingRanks; row < p.rows; row += step, ++turn) {
      const unsigned parity = turn & 1, first = s;
      RingPart part{-1e30f, 0.f};
      for (int piece = 0; piece < kRingPieces; ++piece) {
        if (p.fault != Fault::no_full_wait) full[s].wait(p.fault == Fault::wrong_parity ? phase ^ 1 : phase);
        for (unsigned i = threadIdx.x; i < kRingPiece; i += consumers)
          part = merge(part, {slot[s].value[i], slot[s].value[i]});
        next_slot(s, phase);
      }
      part = merge_warp(part);
      if (lane == 0) of_warp[parity * 32 + warp] = part;
      if (p.fault != Fault::no_named_barrier) platform::named_sync(kConsumers, consumers);
      part = {-1e30f, 0.f};
      for (unsigned w = 0; w < warps; ++w) part = merge(part, of_warp[parity * 32 + w]);

      RingPart* own = from + parity * kRingRanks + rank;
      if (!send && threadIdx.x == 0) *own = part;
      if (threadIdx.x < kRingRanks) {
        Mbarrier* there = cluster.map(&met[parity], lane);
        if (send) platform::store_async(cluster.map(own, lane), part, there);
      }
      if (!send && threadIdx.x == 0)
        for (unsigned r = 0; r < kRingRanks; ++r) cluster.map(&met[parity], r)->arrive_at_peer();
      if (p.fault != Fault::no_peer_wait) met[parity].wait_cluster(turn >> 1 & 1);
      part = {-1e30f, 0.f};
      for (unsigned r = 0; r < kRingRanks; ++r) {
        RingPart* of_rank = from + parity * kRingRanks + r;
        part = merge(part, send ? *of_rank : *cluster.map(of_rank, r));
      }
      if (send && threadIdx.x == 0) met[parity].arrive_expect(kRingRanks * sizeof(RingPart));

      if (p.fault != Fault::no_ready_barrier) platform::named_sync(kReady, blockDim.x);
      const float scale = weight[0];
      unsigned at = first, unused = 0;
      for (int piece = 0; piece < kRingPieces; ++piece, next_slot(at, unused)) {
        float* to = segment(row) + piece * kRingPiece;
        const bool early = p.fault == Fault::early_free && !staged;
        if (early && lane == 0) empty[at].arrive();
        for (unsigned i = threadIdx.x; i < kRingPiece; i += consumers) {
          const float result = (slot[at].value[i] - part.maximum) * scale + part.sum;
          (staged ? slot[at].value : to)[i] = result;
        }
        if (staged) {
          if (p.fault != Fault::no_proxy_fence) platform::fence_proxy_async();
          platform::named_sync(kConsumers, consumers);
          if (threadIdx.x == 0) {
            platform::bulk_store(to, slot[at].value, kRingBytes);
            platform::bulk_commit();
            if (p.fault != Fault::no_read_wait && p.fault != Fault::no_last_wait) platform::bulk_wait_read<0>();
            empty[at].arrive();
          }
        } else if (!early) {
          __syncwarp();
          if (lane == 0) empty[at].arrive();
        }
      }
      if (row + step < p.rows) platform::named_arrive(kTaken, blockDim.x);
    }
    if (staged && threadIdx.x == 0 && p.fault != Fault::no_last_wait) platform::bulk_wait<0>();
  }
  if (!send && p.fault != Fault::early_exit) {
    cluster.arrive();
    cluster.wait();
  }
#else
  __trap();  // an empty kernel would pass for one that ran
#endif
}

inline Status launch_ring(const RingParams& params, unsigned clusters, unsigned threads) {
  return platform::launch({dim3(clusters * kRingRanks), dim3(threads), kRingRanks}, ring_kernel, params);
}

}  // namespace plusmax::planted
