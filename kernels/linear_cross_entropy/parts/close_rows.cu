// One thread per row: results, and what its gradient is made from, out of the sums of all slices.
#include "kernels/linear_cross_entropy/slice_row.cuh"

namespace plusmax::linear_cross_entropy {
namespace {

namespace ce = cross_entropy;
constexpr int kThreads = 128;

template <class Mode>
__global__ void __launch_bounds__(kThreads)
    close_rows_kernel(const __grid_constant__ ce::Params rows, const __grid_constant__ ce::Settings<float> s,
                      const __grid_constant__ Workspace space) {
  const ce::Workspace call_space = ce::layout(rows, space.rows);
  const ce::CallSums call = ce::call_sums(rows, call_space);
  const std::int64_t row = block_index() * kThreads + static_cast<int>(threadIdx.x);
  if (row >= rows.rows) return;
  const ce::Target target = ce::read_target(rows, row);
  if (target.kind == ce::RowKind::ignored) {
    ce::store_ignored_row<float>(rows, call_space, row);
    return;
  }
  const Mode mode(rows, s);
  const float logit = target.column >= 0 ? space.target_logit[row] : Math<float>::negative_infinity();
  const float value = mode.value(logit);
  const ce::Others<float> others = mode.others(static_cast<const typename Mode::State*>(space.states)[row]);
  const ce::RowFactors<float> factors = ce::row_factors(rows, s, row, target, call);
  const ce::RowSums<float> sums = ce::close_row(others, value, s);
  ce::store_row(rows, call_space, row, target, sums, others, logit, value, s, factors);
  if (space.coefficients == nullptr) return;
  ce::Coefficients<float> made = ce::coefficients_of(sums, s, factors, target.kind == ce::RowKind::bad);
  made.target *= mode.slope(logit);
  space.coefficients[row] = made;
}

}  // namespace

Status launch_close_rows(const Params& p, const Workspace& space, void* stream) {
  const ce::Params rows = rows_call(p, space);
  const platform::LaunchConfig config{
      .grid = grid_of((rows.rows + kThreads - 1) / kThreads), .block = dim3(kThreads), .stream = stream};
  return with_mode(rows, [&](auto, auto mode) {
    return platform::launch(config, close_rows_kernel<typename decltype(mode)::type>, rows,
                            ce::settings_of<float>(rows), space);
  });
}

}  // namespace plusmax::linear_cross_entropy
