// Several blocks per row, for few long rows: a launch that sums parts of the rows, and a launch whose blocks each merge
// their row's parts, in the order of the row, before they write their own part of the gradient, which they read again.
#include "kernels/catalog.hpp"
#include "kernels/cross_entropy/block_row.cuh"
#include "kernels/cross_entropy/common.cuh"
#include "kernels/cross_entropy/reread.cuh"

namespace plusmax::cross_entropy {
namespace {

// Of a row. The target's logit comes along because the second launch may overwrite it before others look at it.
template <class State, class Accum>
struct alignas(16) SplitPart {
  State state;
  Accum logit;
};

// Grid: x is the split, y and z the row, so that no thread divides.
constexpr std::int64_t kMaxY = 65535;  // CUDA's limit for y and for z
inline dim3 split_grid(std::int64_t rows, int splits) {
  const std::int64_t y = rows < kMaxY ? rows : kMaxY;
  return dim3(static_cast<unsigned>(splits), static_cast<unsigned>(y), static_cast<unsigned>((rows + y - 1) / y));
}
__device__ __forceinline__ std::int64_t split_grid_row() {
  return static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
}

// The blocks' shares: whole lines, `segment` vectors each.
template <class T>
__device__ __forceinline__ Stretch share_of(const RowSpan<T>& span, std::int64_t segment) {
  return stretch_of(span, blockIdx.x * segment, (blockIdx.x + 1) * segment);
}

// logits: [rows, cols], row_stride elements apart; parts: [rows, splits]
template <class T, template <class> class ModeOf, int kThreads>
__global__ void __launch_bounds__(kThreads)
    sums_kernel(const __grid_constant__ Params p, const __grid_constant__ Settings<AccumOf<T>> s, std::int64_t segment,
                SplitPart<typename ModeOf<T>::State, AccumOf<T>>* parts) {
  using Accum = AccumOf<T>;
  using State = typename ModeOf<T>::State;
  PLUSMAX_SHARED(State, scratch, kThreads / kWarpSize);
  const std::int64_t row = split_grid_row();
  if (row >= p.rows) return;
  const Target target = read_target(p, row);
  if (target.kind == RowKind::ignored) return;
  const ModeOf<T> mode(p, s);
  const RowSpan<T> span = row_span<T>(p.logits, row, p.row_stride, p.cols);
  const Place place = place_of(span, target.column, p.cols);
  const int thread = static_cast<int>(threadIdx.x);
  const bool other = blockIdx.x == 0 && thread < span.head + span.tail && thread != place.edge;
  const Accum edge = other ? span.edge(thread, p.cols) : Math<Accum>::negative_infinity();
  State state = first_pass<T, kThreads>(mode, span, place, share_of(span, segment), Reread<T>{span.line});
  state = merge_block<kThreads>(mode, mode.merge(state, mode.edge(edge, other, edge_column(span, thread, p.cols))),
                                scratch);
  if (thread != 0) return;
  SplitPart<State, Accum>& part = parts[row * gridDim.x + blockIdx.x];
  part.state = state;
  part.logit = blockIdx.x == 0 && target.column >= 0
                   ? Element<T>::widen(reinterpret_cast<const T*>(span.first)[target.column])
                   : Math<Accum>::negative_infinity();
}

// dlogits: [rows, cols], dlogits_stride elements apart
template <class T, template <class> class ModeOf, int kThreads>
__global__ void __launch_bounds__(kThreads)
    gradient_kernel(const __grid_constant__ Params p, const __grid_constant__ Settings<AccumOf<T>> s,
                    std::int64_t segment, const SplitPart<typename ModeOf<T>::State, AccumOf<T>>* parts,
                    void* workspace) {
  using Accum = AccumOf<T>;
  PLUSMAX_SHARED(Coefficients<Accum>, coefficients, 1);
  const std::int64_t row = split_grid_row();
  if (row >= p.rows) return;
  const int thread = static_cast<int>(threadIdx.x), splits = static_cast<int>(gridDim.x);
  const Workspace space = layout(p, workspace);
  const RowSpan<T> span = row_span<T>(p.logits, row, p.row_stride, p.cols);
  const Stretch stretch = share_of(span, segment);
  const Target target = read_target(p, row);
  if (target.kind == RowKind::ignored) {
    if (thread == 0 && blockIdx.x == 0) store_ignored_row<Accum>(p, space, row);
    if (p.dlogits != nullptr)
      store_zeros(span, gradient_row(p, row, span), p.cols, static_cast<int>(blockIdx.x) * kThreads + thread,
                  splits * kThreads);
    return;
  }
  const ModeOf<T> mode(p, s);
  if (warp_index() == 0) {
    const auto* own = parts + row * splits;
    typename ModeOf<T>::State state = mode.empty();
    for (int i = lane_index(); i < splits; i += kWarpSize) state = mode.merge(state, own[i].state);
    state = mode.merge_warp(state);
    const CallSums call = call_sums(p, space);
    if (thread == 0) {
      const Accum logit = own[0].logit, value = mode.value(logit);
      const RowFactors<Accum> factors = row_factors(p, s, row, target, call);
      const Others<Accum> others = mode.others(state);
      const RowSums<Accum> sums = close_row(others, value, s);
      if (blockIdx.x == 0) store_row(p, space, row, target, sums, others, logit, value, s, factors);
      Coefficients<Accum> made = coefficients_of(sums, s, factors, target.kind == RowKind::bad);
      made.target *= mode.slope(logit);
      coefficients[0] = made;
    }
  }
  if (p.dlogits == nullptr) return;
  __syncthreads();  // hands over the coefficients
  const Coefficients<Accum> c = coefficients[0];
  const Place place = place_of(span, target.column, p.cols);
  const GradientRow<T> to = gradient_row(p, row, span);
  second_pass<T, kThreads>(mode, c, span, place, stretch, to, Reread<T>{span.line});
  if (blockIdx.x != 0 || thread >= span.head + span.tail) return;
  const std::int64_t column = edge_column(span, thread, p.cols);
  const Accum edge = span.edge(thread, p.cols);
  to.store(column, Element<T>::narrow(thread == place.edge ? c.target : gradient_of(mode, c, edge, column)));
}

template <class T, template <class> class ModeOf>
using PartOf = SplitPart<typename ModeOf<T>::State, AccumOf<T>>;

std::size_t workspace_bytes(const Params& p) {
  constexpr std::size_t kPart = sizeof(PartOf<float, Capped>);  // the larger of both modes'
  return call_bytes(p) + static_cast<std::size_t>(p.rows * splits(p.dtype, p.cols)) * kPart;
}

Status supports(const Params& p) {
  if (p.dtype == PLUSMAX_F64) return Status::error(PLUSMAX_UNSUPPORTED, "split_row has no f64; two_pass has");
  if (p.backward) return Status::error(PLUSMAX_UNSUPPORTED, "split_row has no backward; two_pass has");
  if (p.rows > kMaxY * kMaxY)
    return Status::error(PLUSMAX_UNSUPPORTED, "split_row: rows %lld > %lld", static_cast<long long>(p.rows),
                         static_cast<long long>(kMaxY * kMaxY));
  return {};
}

template <class T, template <class> class Mode, int kThreads>
Status launch_threads(const Params& p, void* workspace, void* stream) {
  const int count = splits(p.dtype, p.cols);
  const std::int64_t segment = split_segment(p.dtype, p.cols);
  const Settings<AccumOf<T>> s = settings_of<AccumOf<T>>(p);
  auto* parts = reinterpret_cast<PartOf<T, Mode>*>(layout(p, workspace).rest);
  const platform::LaunchConfig config{.grid = split_grid(p.rows, count), .block = dim3(kThreads), .stream = stream};
  if (Status status = platform::launch(config, sums_kernel<T, Mode, kThreads>, p, s, segment, parts); !status.ok())
    return status;
  return platform::launch(config, gradient_kernel<T, Mode, kThreads>, p, s, segment, parts, workspace);
}

template <class T, template <class> class Mode>
Status launch_mode(const Params& p, void* workspace, void* stream) {
  return split_threads(p.dtype, p.cols) == 128 ? launch_threads<T, Mode, 128>(p, workspace, stream)
                                               : launch_threads<T, Mode, 512>(p, workspace, stream);
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
  const int threads = split_threads(p.dtype, p.cols);
  const double batches = static_cast<double>(stream_batches(split_segment(p.dtype, p.cols), threads));
  const int parts = (splits(p.dtype, p.cols) + kWarpSize - 1) / kWarpSize;  // a lane's share of the parts
  // within a batch, over the later batches, the edge, the block; then the parts and their warp
  return row_shape(p,
                   batch_additions(p.dtype, kBatchVectors) + (batches - 1) + 1 + block_additions(threads) +
                       parts + kWarpLevels,
                   (batches - 1) + 1 + block_rescales(threads) + parts + 1);
}

}  // namespace

extern const KernelVariant<Params> split_row;
const KernelVariant<Params> split_row = {"split_row",    kFloats,     supports,   workspace_bytes,
                                         launch_variant, bytes_moved, error_shape};

}  // namespace plusmax::cross_entropy
