// A cluster of blocks per row, each keeping its part in a ring of shared memory between sums and gradient; the ring
// runs on into the next row. Each logit read once, each gradient written once. Persistent; rows are handed out
// dynamically, because multiprocessors are not equally fast. A row's order of additions does not depend on who gets it.
#include "kernels/catalog.hpp"
#include "kernels/cross_entropy/block_row.cuh"
#include "kernels/cross_entropy/common.cuh"
#include "kernels/cross_entropy/ring.cuh"
#include "kernels/platform/latency.cuh"
#include "kernels/platform/memory.cuh"

namespace plusmax::cross_entropy {
namespace {

// In place of a count, where nothing is counted: as parts/count.cu.
__global__ void zero_kernel(const __grid_constant__ Params p, void* workspace) {
  platform::grid_dependency_wait();
  platform::grid_dependency_trigger();
  *layout(p, workspace).handed_out = 0;
}

// What the ranks tell each other of a row: rank 0 also the target's logit, and the row that it was dealt.
struct alignas(16) Word {
  unsigned part[4];
};
template <class State, class Accum>
struct alignas(16) Message {
  State state;
  Accum logit;
  int dealt;
};

// A row whose sums are closed, for whoever stores its results.
template <class Accum>
struct ClosedRow {
  Target target;
  RowSums<Accum> sums;
  Others<Accum> others;
  RowFactors<Accum> factors;
  Accum logit, value;  // the target's
};

enum : unsigned { kUsers = 1 };  // the named barrier of the warps that use slots

#if PLUSMAX_ASYNC
// A rank's part of a row. A row that fits a cluster has few vectors, so 32 bits number them.
template <class T>
struct Part {
  RowSpan<T> span;
  int from, begin, end;  // as in Stretch

  __device__ __forceinline__ Part(const Params& p, std::int64_t row, int segment, int rank)
      : span(row_span<T>(p.logits, row, p.row_stride, p.cols)), from(rank * segment) {
    const int first = static_cast<int>(span.begin), last = static_cast<int>(span.end), to = from + segment;
    begin = first > from ? first : from;
    end = last < to ? last : to;
  }
  __device__ __forceinline__ bool holds(int index) const { return index >= begin && index < end; }
  __device__ __forceinline__ bool holds_all(int piece) const {
    return piece >= begin && piece + kRingSlotVectors <= end;
  }
};

// The loading warp: one lane of it. In rank 0 it also stores the rows' results, for which it has the time: what warps
// that use slots do between sums and gradient, all of them wait for.
template <class T>
__device__ PLUSMAX_INLINE_ON_DEVICE void load_rows(const Params& p, const Settings<AccumOf<T>>& s,
                                                   const Workspace& space, Turn turn, int segment, int rank,
                                                   RingBarriers& ring, uint4* slots,
                                                   const ClosedRow<AccumOf<T>>* closed) {
  RingPosition at;
  std::int64_t used = 0;
  const auto load = [&](std::int64_t row) {
    if (row >= p.rows || read_target(p, row).kind == RowKind::ignored) return;
    const Part<T> part(p, row, segment, rank);
    for (int piece = part.from; piece < part.end; piece += kRingSlotVectors) {
      if (used++ >= kRingSlots) ring.empty[at.slot].wait(at.phase ^ 1);
      const int from = piece > part.begin ? piece : part.begin;
      const int end = piece + kRingSlotVectors < part.end ? piece + kRingSlotVectors : part.end;
      const unsigned bytes = from < end ? static_cast<unsigned>(end - from) * kVectorBytes : 0;
      ring.full[at.slot].arrive_expect(bytes);
      if (bytes > 0)
        platform::bulk_load(slots + at.slot * kRingSlotVectors + (from - piece), part.span.vector(from), bytes,
                            &ring.full[at.slot]);
      at.advance();
    }
  };
  platform::sleep(static_cast<unsigned>(turn.row * row_bytes(p.dtype, p.cols) / kRingStartRate));
  load(turn.row);
  while (turn.row < p.rows) {
    if (!turn.late) load(turn.next);
    ring.told[turn.parity()].wait(turn.phase());
    const int dealt = ring.dealt[turn.parity()];
    if (turn.late) load(dealt);
    if (const ClosedRow<AccumOf<T>>& row = closed[turn.parity()]; rank == 0) {
      if (row.target.kind == RowKind::ignored)
        store_ignored_row<AccumOf<T>>(p, space, turn.row);
      else
        store_row(p, space, turn.row, row.target, row.sums, row.others, row.logit, row.value, s, row.factors);
    }
    ring.taken[turn.parity()].arrive();
    turn.advance(dealt);
  }
}
#endif

template <class T, class Mode>
constexpr bool kIsPlainer = std::is_same_v<Mode, Plain<T>> || std::is_same_v<Mode, Smooth<T>>;
// Blocks on a multiprocessor that a mode's registers leave room for.
template <class T, class Mode>
constexpr int kResident = kIsPlainer<T, Mode> ? kRingBlocks : 2;
// Vectors that a thread takes in at a time: as many in all modes that promise each other's bits.
template <class T, class Mode>
constexpr int kTaken = std::is_same_v<Mode, Capped<T>> ? kRingCappedBatch : kRingBatch;

// logits, dlogits: [rows, cols], row_stride and dlogits_stride elements apart
template <class T, template <class> class ModeOf>
__global__ void __launch_bounds__(kRingThreads + kWarpSize, kResident<T, ModeOf<T>>)
    cluster_per_row_kernel(const __grid_constant__ Params p, const __grid_constant__ Settings<AccumOf<T>> s,
                           int segment, void* workspace) {
#if PLUSMAX_ASYNC
  using Accum = AccumOf<T>;
  using Mode = ModeOf<T>;
  using State = typename Mode::State;
  using Sent = Message<State, Accum>;
  constexpr int kBatch = kTaken<T, Mode>;
  constexpr int kWords = sizeof(Sent) / sizeof(Word);
  PLUSMAX_SHARED_DYNAMIC(uint4, slots);
  PLUSMAX_SHARED(RingBarriers, barriers, 1);
  PLUSMAX_SHARED(Sent, messages, 2 * kMaxCluster);
  PLUSMAX_SHARED(State, of_warp, 2 * kRingWarps);
  PLUSMAX_SHARED(Coefficients<Accum>, coefficients, 2);
  PLUSMAX_SHARED(ClosedRow<Accum>, closed, 2);
  PLUSMAX_SHARED(CallSums, call, 1);
  const platform::Cluster cluster;
  const int rank = static_cast<int>(cluster.rank()), ranks = static_cast<int>(cluster.size());
  const int thread = static_cast<int>(threadIdx.x), warp = warp_index(), lane = lane_index();
  const int clusters = static_cast<int>(gridDim.x / cluster.size());
  RingBarriers& ring = barriers[0];
  platform::grid_dependency_trigger();
  if (thread == 0) ring.init(ranks * sizeof(Sent));
  cluster.sync();  // every rank's barriers are there before a message comes

  Turn turn(static_cast<int>(blockIdx.x / cluster.size()), clusters, segment);
  if (warp == kRingWarps) {
    if (lane == 0) load_rows<T>(p, s, layout(p, workspace), turn, segment, rank, ring, slots, closed);
    return;
  }

  const Workspace space = layout(p, workspace);
  const Mode mode(p, s);
  RingPosition at;
  std::int64_t value_ahead = turn.row < p.rows ? target_value(p, turn.row) : 0;
  while (turn.row < p.rows) {
    const int row = turn.row;
    const unsigned parity = turn.parity();
    const Part<T> part(p, row, segment, rank);
    const RowSpan<T>& span = part.span;
    const GradientRow<T> to = gradient_row(p, row, span);
    const Target target = target_of(p, value_ahead);
    const bool ignored = target.kind == RowKind::ignored;
    const Place place = place_of(span, target.column, p.cols);
    const int target_vector = static_cast<int>(place.vector);
    const int hidden = target_tile<int>(place, part.from, kRingSlotVectors, kRingThreads);
    const bool has_edge = rank == 0 && thread < span.head + span.tail;
    const std::int64_t edge_at = edge_column(span, thread, p.cols);
    Sent own{mode.empty(), Math<Accum>::negative_infinity(), 0};
    const auto take_row = [&] {
      if (rank != 0 || thread != 0) return;
      const int dealt = (turn.late ? 1 : 2) * clusters +
                        static_cast<int>(platform::atomic_add(space.handed_out, 1ull, platform::Order::relaxed));
      own.dealt = dealt < p.rows ? dealt : static_cast<int>(p.rows);
    };
    if (turn.count > 0) take_row();
    if (rank == 0 && thread == 0 && target.column >= 0)
      own.logit = Element<T>::widen(reinterpret_cast<const T*>(span.first)[target.column]);

    // sums
    const RingPosition first = at;
    Accum edge = Math<Accum>::negative_infinity();
    if (!ignored) {
      if (has_edge) edge = span.edge(thread, p.cols);
      const auto take_in = [&](int piece, auto whole) {
        for (int from = 0; from < kRingBatch; from += kBatch) {
          Vector<T> batch[kBatch];
          unsigned skip[kBatch];
          std::int64_t column[kBatch];
          PLUSMAX_UNROLL_ON_DEVICE
          for (int i = 0; i < kBatch; ++i) {
            const int in_slot = thread + (from + i) * kRingThreads, index = piece + in_slot;
            const bool exists = whole || part.holds(index);
            batch[i] = exists ? Vector<T>{slots[at.slot * kRingSlotVectors + in_slot]} : negative_infinity_vector<T>();
            skip[i] = exists ? 0u : ~0u;
            column[i] = vector_column(span, index);
            if (!whole && index == target_vector) hide_target(place, batch[i], skip[i]);
          }
          mode.absorb(own.state, batch, skip, column);
        }
      };
      for (int piece = part.from; piece < part.end; piece += kRingSlotVectors, at.advance()) {
        ring.full[at.slot].wait(at.phase);
        if (part.holds_all(piece) && piece != hidden)
          take_in(piece, std::true_type{});
        else if (piece + warp * kWarpSize < part.end)  // or there is nothing of it for this warp
          take_in(piece, std::false_type{});
      }
      const bool other = has_edge && thread != place.edge;
      own.state = mode.merge(own.state, mode.edge(other ? edge : Math<Accum>::negative_infinity(), other, edge_at));
      own.state = mode.merge_warp(own.state);
      if (lane == 0) of_warp[parity * kRingWarps + warp] = own.state;
    }
    platform::named_sync(kUsers, kRingThreads);  // each warp's store before the first warp's reads
    if (warp == 0) {
      if (turn.count == 0) {  // what the launch before leaves is needed from here on
        const CallSums sums = call_sums(p, space);
        if (lane == 0) call[0] = sums;  // whoever closes rows reads them: registers are scarce
        take_row();
      }
      if (!ignored) own.state = mode.merge_warp(lane < kRingWarps ? of_warp[parity * kRingWarps + lane] : mode.empty());
      own.logit = platform::shuffle(own.logit, 0);
      own.dealt = platform::shuffle(own.dealt, 0);
      Sent* box = messages + parity * kMaxCluster;
      if (ranks == 1) {  // nobody to tell
        if (lane == 0) box[0] = own;
      } else if (lane < ranks) {
        Word words[kWords];
        memcpy(words, &own, sizeof own);
        PLUSMAX_UNROLL_ON_DEVICE
        for (int i = 0; i < kWords; ++i)
          platform::store_async(cluster.map(reinterpret_cast<Word*>(box + rank) + i, lane), words[i],
                                cluster.map(&ring.met[parity], lane));
      }
      ClosedRow<Accum>& row_end = closed[parity];
      if (lane == 0) {  // while messages travel
        if (turn.count >= 2) ring.taken[parity].wait(turn.phase() ^ 1);
        row_end.target = target;
        const RowFactors<Accum> factors = row_factors(p, s, row, target, call[0]);
        row_end.factors = factors;
      }
      if (ranks > 1) ring.met[parity].wait_cluster(turn.phase());
      if (lane == 0) {
        if (!ignored) {
          State state = box[0].state;
          for (int r = 1; r < ranks; ++r) state = mode.merge(state, box[r].state);
          row_end.logit = box[0].logit, row_end.value = mode.value(row_end.logit);
          const Others<Accum> others = mode.others(state);
          row_end.others = others;
          const RowSums<Accum> sums = close_row(others, row_end.value, s);
          row_end.sums = sums;
          Coefficients<Accum> made = coefficients_of(sums, s, row_end.factors, target.kind == RowKind::bad);
          made.target *= mode.slope(row_end.logit);
          coefficients[parity] = made;
        }
        ring.dealt[parity] = box[0].dealt;
        ring.told[parity].arrive();
        if (ranks > 1) ring.met[parity].arrive_expect(static_cast<unsigned>(ranks * sizeof(Sent)));
      }
      __syncwarp();  // the warp comes to the barrier whole
    }
    // Hands over the coefficients and the dealt row; every rank has read what it needs of this one.
    platform::named_sync(kUsers, kRingThreads);
    turn.advance(ring.dealt[parity]);
    if (turn.row < p.rows) value_ahead = target_value(p, turn.row);

    // gradient
    int slot = first.slot;
    const Coefficients<Accum> c = ignored ? Coefficients<Accum>{} : coefficients[parity];
    if (has_edge)
      to.store(edge_at,
               ignored ? Element<T>::narrow(0)
                       : Element<T>::narrow(thread == place.edge ? c.target : gradient_of(mode, c, edge, edge_at)));
    const auto give_out = [&](int piece, auto whole) {
      Vector<T> batch[kRingBatch];
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kRingBatch; ++i) {
        const int in_slot = thread + i * kRingThreads;
        batch[i] = whole || part.holds(piece + in_slot) ? Vector<T>{slots[slot * kRingSlotVectors + in_slot]}
                                                        : negative_infinity_vector<T>();
      }
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kRingBatch; ++i) {
        const int index = piece + thread + i * kRingThreads;
        const std::int64_t column = vector_column(span, index);
        if (whole)
          platform::store_vector(to.vector(column), gradient_vector<T>(mode, c, batch[i], column, -1).bits);
        else if (part.holds(index))
          to.store(column, gradient_vector<T>(mode, c, batch[i], column, index == target_vector ? place.element : -1));
      }
    };
    const auto zero = [&](int piece) {
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kRingBatch; ++i)
        if (const int index = piece + thread + i * kRingThreads; part.holds(index))
          to.store(vector_column(span, index), Vector<T>{make_uint4(0u, 0u, 0u, 0u)});
    };
    for (int piece = part.from; piece < part.end; piece += kRingSlotVectors) {
      if (ignored) {
        zero(piece);
        continue;
      }
      if (part.holds_all(piece) && piece != hidden && to.by_vectors)
        give_out(piece, std::true_type{});
      else
        give_out(piece, std::false_type{});
      __syncwarp();  // every lane's stores, which used the slot: an arrival was seen to overtake mere loads
      if (lane == 0) ring.empty[slot].arrive();
      slot = (slot + 1) % kRingSlots;
    }
  }
#else
  __trap();  // an empty kernel would pass for one that ran
#endif
}

constexpr std::size_t kSlotBytes = std::size_t{kRingSlots} * kRingSlotVectors * kVectorBytes;

std::size_t workspace_bytes(const Params& p) { return counts(p) ? call_bytes(p) : kHeadBytes; }

Status supports(const Params& p) {
  if (p.dtype == PLUSMAX_F64)
    return Status::error(PLUSMAX_UNSUPPORTED, "cluster_per_row has no f64; block_per_row has");
  if (p.backward || p.dlogits == nullptr)
    return Status::error(PLUSMAX_UNSUPPORTED,
                         "cluster_per_row keeps rows for their gradient; without one see block_per_row");
  if (!platform::has_sm_90()) return Status::error(PLUSMAX_UNSUPPORTED, "cluster_per_row needs sm_90");
  if (p.rows > kMaxRingRows)
    return Status::error(PLUSMAX_UNSUPPORTED, "cluster_per_row: %lld rows, at most %lld",
                         static_cast<long long>(p.rows), static_cast<long long>(kMaxRingRows));
  if (ring_cluster(p.dtype, p.cols) > kMaxCluster)
    return Status::error(PLUSMAX_UNSUPPORTED, "cluster_per_row: %lld columns need more than %d blocks of %zu bytes",
                         static_cast<long long>(p.cols), kMaxCluster, kSlotBytes);
  const auto offset = reinterpret_cast<std::uintptr_t>(p.logits) % kLineBytes;
  const std::int64_t stride = p.row_stride * element_size(p.dtype) % kLineBytes;
  if (ring_needs_alignment(p.dtype, p.cols) && (offset != 0 || (p.rows > 1 && stride != 0)))
    return Status::error(PLUSMAX_UNSUPPORTED,
                         "cluster_per_row: %lld columns fit only if every row begins on a %d-byte line",
                         static_cast<long long>(p.cols), kLineBytes);
  return {};
}

template <class T, template <class> class Mode>
Status launch_mode(const Params& p, void* workspace, void* stream) {
  const int ranks = ring_cluster(p.dtype, p.cols);
  if (!counts(p))
    if (Status status = platform::launch({.grid = dim3(1), .block = dim3(1), .stream = stream, .programmatic = true},
                                         zero_kernel, p, workspace);
        !status.ok())
      return status;
  platform::LaunchConfig config{.grid = dim3(static_cast<unsigned>(ranks)),
                                .block = dim3(kRingThreads + kWarpSize),
                                .cluster = static_cast<unsigned>(ranks),
                                .shared_bytes = kSlotBytes,
                                .stream = stream,
                                .programmatic = true};
  const std::int64_t resident = platform::resident_clusters(config, cluster_per_row_kernel<T, Mode>);
  config.grid = dim3(static_cast<unsigned>(ranks * (p.rows < resident ? p.rows : resident)));
  return platform::launch(config, cluster_per_row_kernel<T, Mode>, p, settings_of<AccumOf<T>>(p),
                          static_cast<int>(ring_segment(p.dtype, p.cols)), workspace);
}

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok()) return status;
  return launch_call(p, workspace_bytes(p), workspace, stream, [&] {
    return with_type(p.dtype, [&](auto element) -> Status {
      using T = decltype(element);
      if constexpr (sizeof(T) < 8) {
        switch (row_mode(p)) {
          case RowMode::plain:
            return launch_mode<T, Plain>(p, workspace, stream);
          case RowMode::smooth:
            return launch_mode<T, Smooth>(p, workspace, stream);
          case RowMode::full:
            return launch_mode<T, Full>(p, workspace, stream);
          case RowMode::capped:
            return launch_mode<T, Capped>(p, workspace, stream);
        }
      }
      return supports(p);
    });
  });
}

CrossEntropyShape error_shape(const Params& p) {
  const int ranks = ring_cluster(p.dtype, p.cols);
  const std::int64_t slots = (ring_segment(p.dtype, p.cols) + kRingSlotVectors - 1) / kRingSlotVectors;
  const int batch = row_mode(p) == RowMode::capped ? kRingCappedBatch : kRingBatch;
  const double batches = static_cast<double>(slots * (kRingBatch / batch));
  // within a batch, over the later batches, the edge, the block, the ranks one by one
  return row_shape(p, batch_additions(p.dtype, batch) + (batches - 1) + 1 + block_additions(kRingThreads) + (ranks - 1),
                   (batches - 1) + 1 + block_rescales(kRingThreads) + (ranks - 1));
}

}  // namespace

extern const KernelVariant<Params> cluster_per_row;
const KernelVariant<Params> cluster_per_row = {"cluster_per_row", kFloats,     supports,   workspace_bytes,
                                               launch_variant,    bytes_moved, error_shape};

}  // namespace plusmax::cross_entropy
