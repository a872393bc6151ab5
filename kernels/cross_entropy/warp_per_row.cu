// One warp per row, the whole row in registers: each logit read once, each gradient written once.
#include "kernels/catalog.hpp"
#include "kernels/cross_entropy/common.cuh"
#include "kernels/cross_entropy/full.cuh"
#include "kernels/cross_entropy/pass.cuh"
#include "kernels/cross_entropy/plain.cuh"
#include "kernels/cross_entropy/row_end.cuh"
#include "kernels/primitives/grid.cuh"

namespace plusmax::cross_entropy {
namespace {

// Slots follow the row's lines; those before its first vector hold its last ones instead, so none is empty in vain.
template <int kVectors>
__device__ __forceinline__ std::int64_t slot_vector(int slot, std::int64_t begin) {
  const std::int64_t index = slot * kWarpSize + lane_index();
  return slot == 0 && index < begin ? index + kVectors * kWarpSize : index;
}

// logits, dlogits: [rows, cols], row_stride and dlogits_stride elements apart
template <class T, template <class> class ModeOf, int kVectors>
__global__ void __launch_bounds__(kWarpRowThreads)
    warp_per_row_kernel(const __grid_constant__ Params p, const __grid_constant__ Settings<AccumOf<T>> s,
                        void* workspace) {
  using Accum = AccumOf<T>;
  using Mode = ModeOf<T>;
  const std::int64_t row = block_index() * (kWarpRowThreads / kWarpSize) + warp_index();
  if (row >= p.rows) return;
  const int lane = lane_index();
  const Workspace space = layout(p, workspace);
  const RowSpan<T> span = row_span<T>(p.logits, row, p.row_stride, p.cols);
  const Target target = read_target(p, row);
  if (target.kind == RowKind::ignored) {
    if (lane == 0) store_ignored_row<Accum>(p, space, row);
    if (p.dlogits != nullptr) store_zeros(span, gradient_row(p, row, span), p.cols, lane, kWarpSize);
    return;
  }

  const Mode mode(p, s);
  const Place place = place_of(span, target.column, p.cols);
  Vector<T> batch[kVectors];
  unsigned skip[kVectors];
  std::int64_t column[kVectors];
  PLUSMAX_UNROLL_ON_DEVICE
  for (int i = 0; i < kVectors; ++i) {
    const std::int64_t index = slot_vector<kVectors>(i, span.begin);
    const bool exists = index < span.end;
    batch[i] = exists ? Vector<T>{platform::load_mutable(span.vector(index))} : negative_infinity_vector<T>();
    skip[i] = exists ? 0u : ~0u;
    column[i] = vector_column(span, index);
    if (index == place.vector) hide_target(place, batch[i], skip[i]);
  }
  const Accum edge = span.edge(lane, p.cols);
  const bool has_edge = lane < span.head + span.tail, other_edge = has_edge && lane != place.edge;
  const std::int64_t edge_at = edge_column(span, lane, p.cols);
  const Accum logit = target.column < 0 ? Math<Accum>::negative_infinity()
                                        : Element<T>::widen(reinterpret_cast<const T*>(span.first)[target.column]);

  typename Mode::State state = mode.edge(other_edge ? edge : Math<Accum>::negative_infinity(), other_edge, edge_at);
  mode.absorb(state, batch, skip, column);
  const Others<Accum> others = mode.others(mode.merge_warp(state));
  const CallSums call = call_sums(p, space);
  const RowFactors<Accum> factors = row_factors(p, s, row, target, call);
  const Accum value = mode.value(logit);
  const RowSums<Accum> sums = close_row(others, value, s);
  if (lane == 0) store_row(p, space, row, target, sums, others, logit, value, s, factors);
  if (p.dlogits == nullptr) return;

  Coefficients<Accum> c = coefficients_of(sums, s, factors, target.kind == RowKind::bad);
  c.target *= mode.slope(logit);
  const GradientRow<T> to = gradient_row(p, row, span);
  __syncwarp();  // separates all reads of the row from the stores over it
  PLUSMAX_UNROLL_ON_DEVICE
  for (int i = 0; i < kVectors; ++i) {
    const std::int64_t index = slot_vector<kVectors>(i, span.begin);
    if (index < span.end)
      to.store(column[i], gradient_vector<T>(mode, c, batch[i], column[i], index == place.vector ? place.element : -1));
  }
  if (has_edge)
    to.store(edge_at, Element<T>::narrow(lane == place.edge ? c.target : gradient_of(mode, c, edge, edge_at)));
}

std::size_t workspace_bytes(const Params& p) { return call_bytes(p); }

Status supports(const Params& p) {
  if (p.dtype == PLUSMAX_F64) return Status::error(PLUSMAX_UNSUPPORTED, "warp_per_row has no f64; block_per_row has");
  if (p.backward) return Status::error(PLUSMAX_UNSUPPORTED, "warp_per_row has no backward; two_pass has");
  if (warp_row_vectors(p.dtype, p.cols) > kWarpRowMaxVectors)
    return Status::error(PLUSMAX_UNSUPPORTED, "warp_per_row: cols %lld need more than %d bytes of registers",
                         static_cast<long long>(p.cols), kWarpRowMaxVectors * kWarpSize * kVectorBytes);
  return {};
}

template <class T, template <class> class Mode, int kVectors>
Status launch_vectors(const Params& p, void* workspace, void* stream) {
  constexpr std::int64_t kRows = kWarpRowThreads / kWarpSize;
  return platform::launch(
      {.grid = grid_of((p.rows + kRows - 1) / kRows), .block = dim3(kWarpRowThreads), .stream = stream},
      warp_per_row_kernel<T, Mode, kVectors>, p, settings_of<AccumOf<T>>(p), workspace);
}

template <class T, template <class> class Mode>
Status launch_mode(const Params& p, void* workspace, void* stream) {
  switch (warp_row_vectors(p.dtype, p.cols)) {
    case 1:
      return launch_vectors<T, Mode, 1>(p, workspace, stream);
    case 2:
      return launch_vectors<T, Mode, 2>(p, workspace, stream);
    case 4:
      return launch_vectors<T, Mode, 4>(p, workspace, stream);
    default:
      return launch_vectors<T, Mode, kWarpRowMaxVectors>(p, workspace, stream);
  }
}

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok()) return status;
  return launch_call(p, workspace_bytes(p), workspace, stream, [&] {
    return with_type(p.dtype, [&](auto element) -> Status {
      using T = decltype(element);
      if constexpr (sizeof(T) == 8)
        return supports(p);
      else
        return row_mode(p) == RowMode::plain ? launch_mode<T, Plain>(p, workspace, stream)
                                             : launch_mode<T, Capped>(p, workspace, stream);
    });
  });
}

CrossEntropyShape error_shape(const Params& p) {
  // a batch, the edge, the warp; the edge is rescaled to the batch, then all to the warp
  return row_shape(p, batch_additions(p.dtype, warp_row_vectors(p.dtype, p.cols)) + 1 + kWarpLevels, 2);
}

}  // namespace

extern const KernelVariant<Params> warp_per_row;
const KernelVariant<Params> warp_per_row = {"warp_per_row", kFloats,     supports,   workspace_bytes,
                                            launch_variant, bytes_moved, error_shape};

}  // namespace plusmax::cross_entropy
