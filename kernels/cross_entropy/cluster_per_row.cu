// A cluster of blocks per row, each keeping its part in a ring of shared memory between sums and gradient; the ring
// runs on into the next row. Each logit read once, each gradient written once. Persistent; rows are handed out
// dynamically, because multiprocessors are not equally fast. A row's order of additions does not depend on who gets it.
#include "kernels/catalog.hpp"
#include "kernels/cross_entropy/block_row.cuh"
#include "kernels/cross_entropy/common.cuh"
#include "kernels/cross_entropy/ring.cuh"

namespace plusmax::cross_entropy {
namespace {

// Zeroed before the rows: how many have been handed out beyond each cluster's first two.
__global__ void zero_counter_kernel(unsigned long long* counter) { *counter = 0; }

// What the ranks tell each other of a row: rank 0 also the target's logit, and the row after the next.
struct alignas(16) Word {
  unsigned part[4];
};
template <class State, class Accum>
struct alignas(16) Message {
  State state;
  Accum logit;
  std::int64_t after_next;
};

enum : unsigned { kUsers = 1 };  // the named barrier of the warps that use slots

#if PLUSMAX_ASYNC
// A rank's part of a row.
template <class T>
struct Part {
  RowSpan<T> span;
  Stretch stretch;

  __device__ __forceinline__ Part(const Params& p, std::int64_t row, std::int64_t segment, unsigned rank)
      : span(row_span<T>(p.logits, row, p.row_stride, p.cols)),
        stretch(stretch_of(span, rank * segment, (rank + 1) * segment)) {}
};

// The loading warp: one lane of it.
template <class T>
__device__ PLUSMAX_INLINE_ON_DEVICE void load_rows(const Params& p, Turn turn, std::int64_t segment, unsigned rank,
                                                   RingBarriers& ring, uint4* slots) {
  RingPosition at;
  std::int64_t used = 0;
  const auto load = [&](std::int64_t row) {
    if (row >= p.rows || read_target(p, row).kind == RowKind::ignored) return;
    const Part<T> part(p, row, segment, rank);
    for (std::int64_t piece = part.stretch.from; piece < part.stretch.end; piece += kRingSlotVectors) {
      if (used++ >= kRingSlots) ring.empty[at.slot].wait(at.phase ^ 1);
      const std::int64_t from = piece > part.stretch.begin ? piece : part.stretch.begin;
      const std::int64_t end =
          piece + kRingSlotVectors < part.stretch.end ? piece + kRingSlotVectors : part.stretch.end;
      const unsigned bytes = from < end ? static_cast<unsigned>(end - from) * kVectorBytes : 0;
      ring.full[at.slot].arrive_expect(bytes);
      if (bytes > 0)
        platform::bulk_load(slots + at.slot * kRingSlotVectors + (from - piece), part.span.vector(from), bytes,
                            &ring.full[at.slot]);
      at.advance();
    }
  };
  load(turn.row);
  while (turn.row < p.rows) {
    load(turn.next);
    ring.told[turn.parity()].wait(turn.phase());
    const std::int64_t after_next = ring.next[turn.parity()];
    ring.taken[turn.parity()].arrive();
    turn.advance(after_next);
  }
}
#endif

// logits, dlogits: [rows, cols], row_stride and dlogits_stride elements apart; counter: of rows handed out
template <class T, template <class> class ModeOf>
__global__ void __launch_bounds__(kRingThreads + kWarpSize, std::is_same_v<ModeOf<T>, Plain<T>> ? 3 : 2)
    cluster_per_row_kernel(const __grid_constant__ Params p, const __grid_constant__ Settings<AccumOf<T>> s,
                           std::int64_t segment, unsigned long long* counter, void* workspace) {
#if PLUSMAX_ASYNC
  using Accum = AccumOf<T>;
  using Mode = ModeOf<T>;
  using State = typename Mode::State;
  using Sent = Message<State, Accum>;
  constexpr int kWords = sizeof(Sent) / sizeof(Word);
  PLUSMAX_SHARED_DYNAMIC(uint4, slots);
  PLUSMAX_SHARED(RingBarriers, barriers, 1);
  PLUSMAX_SHARED(Sent, messages, 2 * kMaxCluster);
  PLUSMAX_SHARED(State, of_warp, 2 * kRingWarps);
  PLUSMAX_SHARED(Coefficients<Accum>, coefficients, 2);
  const platform::Cluster cluster;
  const unsigned rank = cluster.rank(), ranks = cluster.size();
  const int thread = static_cast<int>(threadIdx.x), warp = warp_index(), lane = lane_index();
  const std::int64_t clusters = gridDim.x / ranks;
  RingBarriers& ring = barriers[0];
  if (thread == 0) ring.init(ranks * sizeof(Sent));
  cluster.sync();  // every rank's barriers are there before a message comes

  Turn turn{blockIdx.x / ranks, blockIdx.x / ranks + clusters};
  if (warp == kRingWarps) {
    if (lane == 0) load_rows<T>(p, turn, segment, rank, ring, slots);
    return;
  }

  const Workspace space = layout(p, workspace);
  const Mode mode(p, s);
  const CallSums call = warp == 0 ? call_sums(p, space) : CallSums{};
  RingPosition at;
  while (turn.row < p.rows) {
    const std::int64_t row = turn.row;
    const unsigned parity = turn.parity();
    const Part<T> part(p, row, segment, rank);
    const RowSpan<T>& span = part.span;
    const Stretch& stretch = part.stretch;
    const GradientRow<T> to = gradient_row(p, row, span);
    const Target target = read_target(p, row);
    const bool ignored = target.kind == RowKind::ignored;
    const Place place = place_of(span, target.column, p.cols);
    const bool has_edge = rank == 0 && thread < span.head + span.tail;
    const std::int64_t edge_at = edge_column(span, thread, p.cols);
    Sent own{mode.empty(), Math<Accum>::negative_infinity(), 0};
    if (rank == 0 && thread == 0) {
      const std::int64_t given =
          2 * clusters + static_cast<std::int64_t>(platform::atomic_add(counter, 1ull, platform::Order::relaxed));
      own.after_next = turn.next < p.rows && given < p.rows ? given : p.rows;
      if (target.column >= 0) own.logit = Element<T>::widen(reinterpret_cast<const T*>(span.first)[target.column]);
    }

    // sums
    const RingPosition first = at;
    Accum edge = Math<Accum>::negative_infinity();
    if (!ignored) {
      if (has_edge) edge = span.edge(thread, p.cols);
      for (std::int64_t piece = stretch.from; piece < stretch.end; piece += kRingSlotVectors, at.advance()) {
        ring.full[at.slot].wait(at.phase);
        Vector<T> batch[kRingBatch];
        unsigned skip[kRingBatch];
        std::int64_t column[kRingBatch];
        PLUSMAX_UNROLL_ON_DEVICE
        for (int i = 0; i < kRingBatch; ++i) {
          const int in_slot = thread + i * kRingThreads;
          const std::int64_t index = piece + in_slot;
          const bool exists = index >= stretch.begin && index < stretch.end;
          batch[i] = exists ? Vector<T>{slots[at.slot * kRingSlotVectors + in_slot]} : negative_infinity_vector<T>();
          skip[i] = exists ? 0u : ~0u;
          column[i] = vector_column(span, index);
          hide_target(place, index, batch[i], skip[i]);
        }
        mode.absorb(own.state, batch, skip, column);
      }
      const bool other = has_edge && thread != place.edge;
      own.state = mode.merge(own.state, mode.edge(other ? edge : Math<Accum>::negative_infinity(), other, edge_at));
      own.state = mode.merge_warp(own.state);
      if (lane == 0) of_warp[parity * kRingWarps + warp] = own.state;
    }
    platform::named_sync(kUsers, kRingThreads);  // each warp's store before the first warp's reads
    if (warp == 0) {
      if (!ignored) own.state = mode.merge_warp(lane < kRingWarps ? of_warp[parity * kRingWarps + lane] : mode.empty());
      own.logit = platform::shuffle(own.logit, 0);
      own.after_next = platform::shuffle(own.after_next, 0);
      Sent* box = messages + parity * kMaxCluster;
      if (lane < static_cast<int>(ranks)) {
        Word words[kWords];
        memcpy(words, &own, sizeof own);
        PLUSMAX_UNROLL_ON_DEVICE
        for (int i = 0; i < kWords; ++i)
          platform::store_async(cluster.map(reinterpret_cast<Word*>(box + rank) + i, lane), words[i],
                                cluster.map(&ring.met[parity], lane));
      }
      ring.met[parity].wait_cluster(turn.phase());
      if (lane == 0) {
        const std::int64_t after_next = box[0].after_next;
        if (turn.count >= 2) ring.taken[parity].wait(turn.phase() ^ 1);
        ring.next[parity] = after_next;
        ring.told[parity].arrive();
        if (ignored) {
          if (rank == 0) store_ignored_row<Accum>(p, space, row);
        } else {
          State state = box[0].state;
          for (unsigned r = 1; r < ranks; ++r) state = mode.merge(state, box[r].state);
          const Accum logit = box[0].logit, value = mode.value(logit);
          const RowFactors<Accum> factors = row_factors<Accum>(p, row, target, call);
          const Others<Accum> others = mode.others(state);
          const RowSums<Accum> sums = close_row(others, value, s);
          if (rank == 0) store_row(p, space, row, target, sums, others, logit, value, s, factors);
          Coefficients<Accum> made = coefficients_of(sums, s, factors, call.divisors, target.kind == RowKind::bad);
          made.target *= mode.slope(logit);
          coefficients[parity] = made;
        }
        ring.met[parity].arrive_expect(ranks * sizeof(Sent));
      }
      __syncwarp();  // the warp comes to the barrier whole
    }
    // Hands over the coefficients and the next row; every rank has read what it needs of this one.
    platform::named_sync(kUsers, kRingThreads);

    // gradient
    RingPosition again = first;
    const Coefficients<Accum> c = ignored ? Coefficients<Accum>{} : coefficients[parity];
    for (std::int64_t piece = stretch.from; piece < stretch.end; piece += kRingSlotVectors) {
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kRingBatch; ++i) {
        const int in_slot = thread + i * kRingThreads;
        const std::int64_t index = piece + in_slot, column = vector_column(span, index);
        if (index < stretch.begin || index >= stretch.end) continue;
        to.store(column, ignored ? Vector<T>{make_uint4(0u, 0u, 0u, 0u)}
                                 : gradient_vector<T>(mode, c, {slots[again.slot * kRingSlotVectors + in_slot]}, column,
                                                      index == place.vector ? place.element : -1));
      }
      if (ignored) continue;
      __syncwarp();  // every lane's stores, which used the slot: an arrival was seen to overtake mere loads
      if (lane == 0) ring.empty[again.slot].arrive();
      again.advance();
    }
    if (has_edge)
      to.store(edge_at, ignored
                            ? Element<T>::narrow(0)
                            : Element<T>::narrow(thread == place.edge ? c.target : mode.gradient(c, edge, edge_at)));
    turn.advance(ring.next[parity]);
  }
#else
  __trap();  // an empty kernel would pass for one that ran
#endif
}

constexpr std::size_t kSlotBytes = std::size_t{kRingSlots} * kRingSlotVectors * kVectorBytes;

std::size_t workspace_bytes(const Params& p) { return call_bytes(p) + sizeof(unsigned long long); }

Status supports(const Params& p) {
  if (p.dtype == PLUSMAX_F64)
    return Status::error(PLUSMAX_UNSUPPORTED, "cluster_per_row has no f64; block_per_row has");
  if (p.backward || p.dlogits == nullptr)
    return Status::error(PLUSMAX_UNSUPPORTED,
                         "cluster_per_row keeps rows for their gradient; without one see block_per_row");
  if (!platform::has_sm_90()) return Status::error(PLUSMAX_UNSUPPORTED, "cluster_per_row needs sm_90");
  if (ring_cluster(p.dtype, p.cols) > kMaxCluster)
    return Status::error(PLUSMAX_UNSUPPORTED, "cluster_per_row: %lld columns need more than %d blocks of %zu bytes",
                         static_cast<long long>(p.cols), kMaxCluster, kSlotBytes);
  return {};
}

template <class T, template <class> class Mode>
Status launch_mode(const Params& p, void* workspace, void* stream) {
  const int ranks = ring_cluster(p.dtype, p.cols);
  auto* counter = reinterpret_cast<unsigned long long*>(layout(p, workspace).rest);
  Status status = platform::launch({.grid = dim3(1), .block = dim3(1), .stream = stream}, zero_counter_kernel, counter);
  if (!status.ok()) return status;
  platform::LaunchConfig config{.grid = dim3(static_cast<unsigned>(ranks)),
                                .block = dim3(kRingThreads + kWarpSize),
                                .cluster = static_cast<unsigned>(ranks),
                                .shared_bytes = kSlotBytes,
                                .stream = stream};
  const std::int64_t resident = platform::resident_clusters(config, cluster_per_row_kernel<T, Mode>);
  config.grid = dim3(static_cast<unsigned>(ranks * (p.rows < resident ? p.rows : resident)));
  return platform::launch(config, cluster_per_row_kernel<T, Mode>, p, settings_of<AccumOf<T>>(p),
                          ring_segment(p.dtype, p.cols, ranks), counter, workspace);
}

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok()) return status;
  return launch_call(p, workspace_bytes(p), workspace, stream, [&] {
    return with_type(p.dtype, [&](auto element) -> Status {
      using T = decltype(element);
      if constexpr (sizeof(T) == 8)
        return supports(p);
      else
        return needs_full(p) ? launch_mode<T, Full>(p, workspace, stream) : launch_mode<T, Plain>(p, workspace, stream);
    });
  });
}

CrossEntropyShape error_shape(const Params& p) {
  const int ranks = ring_cluster(p.dtype, p.cols);
  const std::int64_t segment = ring_segment(p.dtype, p.cols, ranks);
  const double slots = static_cast<double>((segment + kRingSlotVectors - 1) / kRingSlotVectors);
  // within a slot, over the later slots, the edge, the block, the ranks one by one
  return row_shape(p,
                   batch_additions(p.dtype, kRingBatch) + (slots - 1) + 1 + block_additions(kRingThreads) + (ranks - 1),
                   (slots - 1) + 1 + block_rescales(kRingThreads) + (ranks - 1));
}

}  // namespace

extern const KernelVariant<Params> cluster_per_row;
const KernelVariant<Params> cluster_per_row = {"cluster_per_row", kFloats,     supports,   workspace_bytes,
                                               launch_variant,    bytes_moved, error_shape};

}  // namespace plusmax::cross_entropy
