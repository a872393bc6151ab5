// One block per row: a slice's gradient over its logits.
#include "kernels/linear_cross_entropy/slice_row.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

namespace ce = cross_entropy;

template <class T, class Mode>
__global__ void __launch_bounds__(kSliceSumThreads)
    slice_gradient_kernel(const __grid_constant__ ce::Params whole, const __grid_constant__ ce::Params slice,
                          const __grid_constant__ ce::Settings<float> s, const __grid_constant__ Workspace space,
                          std::int64_t begin) {
  const std::int64_t row = block_index();
  if (row >= whole.rows) return;
  const int thread = static_cast<int>(threadIdx.x);
  const ce::Target target = ce::read_target(whole, row);
  const RowSpan<T> span = row_span<T>(slice.logits, row, slice.row_stride, slice.cols);
  const ce::GradientRow<T> to = ce::gradient_row(slice, row, span);
  if (target.kind == ce::RowKind::ignored) {
    ce::store_zeros(span, to, slice.cols, thread, kSliceSumThreads);
    return;
  }
  const ce::Place place = ce::place_of(span, slice_target(target, begin, slice.cols), slice.cols);
  const Mode mode(slice, s);
  const ce::Coefficients<float> c = space.coefficients[row];
  ce::second_pass<T, kSliceSumThreads>(mode, c, span, place, ce::stretch_of(span, 0, span.end), to,
                                       ce::Reread<T>{span.line});
  if (thread >= span.head + span.tail) return;
  const std::int64_t at = ce::edge_column(span, thread, slice.cols);
  const float edge = span.edge(thread, slice.cols);
  to.store(at, Element<T>::narrow(thread == place.edge ? c.target : ce::gradient_of(mode, c, edge, at)));
}

}  // namespace

Status launch_slice_gradient(const Params& p, const Workspace& space, std::int64_t begin, std::int64_t cols,
                             void* stream) {
  const ce::Params whole = rows_call(p, space);
  const platform::LaunchConfig config{.grid = grid_of(whole.rows), .block = dim3(kSliceSumThreads), .stream = stream};
  return with_mode(whole, [&](auto element, auto mode) {
    return platform::launch(config, slice_gradient_kernel<decltype(element), typename decltype(mode)::type>, whole,
                            slice_call(whole, begin, cols), ce::settings_of<float>(whole), space, begin);
  });
}

}  // namespace plusmax::linear_cross_entropy
