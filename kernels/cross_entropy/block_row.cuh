// A block and its row: the frame of the variants that give a row to one block.
#pragma once

#include "kernels/cross_entropy/full.cuh"
#include "kernels/cross_entropy/pass.cuh"
#include "kernels/cross_entropy/plain.cuh"
#include "kernels/cross_entropy/row_end.cuh"
#include "kernels/cross_entropy/smooth.cuh"
#include "kernels/primitives/grid.cuh"

namespace plusmax::cross_entropy {

// Valid in the first warp.
template <int kThreads, class Mode>
__device__ PLUSMAX_INLINE_ON_DEVICE typename Mode::State merge_block(const Mode& mode, typename Mode::State state,
                                                                     typename Mode::State* scratch) {
  state = mode.merge_warp(state);
  if constexpr (kThreads > kWarpSize) {
    if (lane_index() == 0) scratch[warp_index()] = state;
    __syncthreads();  // separates each warp's store from the first warp's reads
    if (warp_index() == 0)
      state = mode.merge_warp(lane_index() < kThreads / kWarpSize ? scratch[lane_index()] : mode.empty());
  }
  return state;
}

// Row block_index(). Source: keep(index, vector) in the first pass, again(index) in the second.
template <class T, template <class> class ModeOf, int kThreads, class Source>
__device__ __forceinline__ void block_row(const Params& p, const Settings<AccumOf<T>>& s, void* workspace,
                                          Source source) {
  using Accum = AccumOf<T>;
  using Mode = ModeOf<T>;
  PLUSMAX_SHARED(typename Mode::State, scratch, kThreads / kWarpSize);
  PLUSMAX_SHARED(Coefficients<Accum>, coefficients, 1);
  const std::int64_t row = block_index();
  if (row >= p.rows) return;
  const int thread = static_cast<int>(threadIdx.x);
  const Workspace space = layout(p, workspace);
  const RowSpan<T> span = row_span<T>(p.logits, row, p.row_stride, p.cols);
  const Target target = read_target(p, row);
  if (target.kind == RowKind::ignored) {
    if (thread == 0) store_ignored_row<Accum>(p, space, row);
    if (p.dlogits != nullptr) store_zeros(span, gradient_row(p, row, span), p.cols, thread, kThreads);
    return;
  }

  const Mode mode(p, s);
  const Place place = place_of(span, target.column, p.cols);
  const Stretch stretch = stretch_of(span, 0, span.end);
  const Accum edge = span.edge(thread, p.cols);
  const bool has_edge = thread < span.head + span.tail;
  const std::int64_t edge_at = edge_column(span, thread, p.cols);
  Accum logit = Math<Accum>::negative_infinity();  // the target's
  if (thread == 0 && target.column >= 0)
    logit = Element<T>::widen(reinterpret_cast<const T*>(span.first)[target.column]);

  typename Mode::State state = mode.empty();
  if (!p.backward) {
    state = first_pass<T, kThreads>(mode, span, place, stretch, source);
    const bool other = has_edge && thread != place.edge;
    state = mode.merge(state, mode.edge(other ? edge : Math<Accum>::negative_infinity(), other, edge_at));
    state = merge_block<kThreads>(mode, state, scratch);
  }
  if (warp_index() == 0) {
    const CallSums call = call_sums(p, space);
    if (thread == 0) {
      const Accum value = mode.value(logit);
      const RowFactors<Accum> factors = row_factors(p, s, row, target, call);
      const Others<Accum> others = mode.others(state);
      const RowSums<Accum> sums = p.backward ? saved_row(p, row, value, s) : close_row(others, value, s);
      if (!p.backward) store_row(p, space, row, target, sums, others, logit, value, s, factors);
      if (p.dlogits != nullptr) {
        // By way of a variable: the race detector does not see a result that a function makes in its caller's memory.
        Coefficients<Accum> made = coefficients_of(sums, s, factors, target.kind == RowKind::bad);
        made.target *= mode.slope(logit);
        coefficients[0] = made;
      }
    }
  }
  if (p.dlogits == nullptr) return;
  __syncthreads();  // hands over the coefficients, and separates all reads of the row from the stores over it
  const Coefficients<Accum> c = coefficients[0];
  const GradientRow<T> to = gradient_row(p, row, span);
  second_pass<T, kThreads>(mode, c, span, place, stretch, to, source);
  if (has_edge)
    to.store(edge_at, Element<T>::narrow(thread == place.edge ? c.target : gradient_of(mode, c, edge, edge_at)));
}

}  // namespace plusmax::cross_entropy
