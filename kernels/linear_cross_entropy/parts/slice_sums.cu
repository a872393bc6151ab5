// One block per row: a slice's sums, merged into those of the slices before it.
#include "kernels/linear_cross_entropy/slice_row.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

namespace ce = cross_entropy;

__device__ __forceinline__ void count_from_first_class(MaxSum<float>&, std::int64_t) {}
__device__ __forceinline__ void count_from_first_class(ce::FullState<float>& state, std::int64_t begin) {
  state.best.column += begin;
}

template <class T, class Mode>
__global__ void __launch_bounds__(kSliceSumThreads)
    slice_sums_kernel(const __grid_constant__ ce::Params whole, const __grid_constant__ ce::Params slice,
                      const __grid_constant__ ce::Settings<float> s, const __grid_constant__ Workspace space,
                      std::int64_t begin) {
  using State = typename Mode::State;
  PLUSMAX_SHARED(State, scratch, kSliceSumThreads / kWarpSize);
  const std::int64_t row = block_index();
  if (row >= whole.rows) return;
  const ce::Target target = ce::read_target(whole, row);
  if (target.kind == ce::RowKind::ignored) return;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t column = slice_target(target, begin, slice.cols);
  const RowSpan<T> span = row_span<T>(slice.logits, row, slice.row_stride, slice.cols);
  const ce::Place place = ce::place_of(span, column, slice.cols);
  const Mode mode(slice, s);
  State state = ce::first_pass<T, kSliceSumThreads>(mode, span, place, ce::stretch_of(span, 0, span.end),
                                                    ce::Reread<T>{span.line});
  const bool other = thread < span.head + span.tail && thread != place.edge;
  const float edge = other ? span.edge(thread, slice.cols) : Math<float>::negative_infinity();
  state = mode.merge(state, mode.edge(edge, other, ce::edge_column(span, thread, slice.cols)));
  state = ce::merge_block<kSliceSumThreads>(mode, state, scratch);
  if (thread != 0) return;
  count_from_first_class(state, begin);
  State* states = static_cast<State*>(space.states);
  states[row] = begin == 0 ? state : mode.merge(states[row], state);
  if (column >= 0) space.target_logit[row] = Element<T>::widen(reinterpret_cast<const T*>(span.first)[column]);
}

}  // namespace

Status launch_slice_sums(const Params& p, const Workspace& space, std::int64_t begin, std::int64_t cols, void* stream) {
  const ce::Params whole = rows_call(p, space);
  const platform::LaunchConfig config{.grid = grid_of(whole.rows), .block = dim3(kSliceSumThreads), .stream = stream};
  return with_mode(whole, [&](auto element, auto mode) {
    return platform::launch(config, slice_sums_kernel<decltype(element), typename decltype(mode)::type>, whole,
                            slice_call(whole, begin, cols), ce::settings_of<float>(whole), space, begin);
  });
}

}  // namespace plusmax::linear_cross_entropy
