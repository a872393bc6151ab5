// What the cross_entropy variants share on the host: the launches around the rows, bytes, error shapes.
#pragma once

#include "kernels/cross_entropy/config.hpp"
#include "kernels/cross_entropy/parts.hpp"
#include "kernels/cross_entropy/workspace.cuh"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/block.cuh"
#include "kernels/primitives/shape.hpp"
#include "kernels/primitives/stream.cuh"

namespace plusmax::cross_entropy {

// main() launches the rows. With no rows there is none of it, but the reduced outputs are written.
template <class Main>
Status launch_call(const Params& p, std::size_t needed, void* workspace, void* stream, Main&& main) {
  if (needed > 0 && workspace == nullptr)
    return Status::error(PLUSMAX_WORKSPACE_TOO_SMALL, "cross_entropy: no workspace, %zu bytes needed", needed);
  if (Status status = launch_count(p, workspace, stream); !status.ok()) return status;
  if (p.rows > 0)
    if (Status status = main(); !status.ok()) return status;
  return launch_reduce(p, workspace, stream);
}

// Each logit once, each gradient once, each result once.
inline double bytes_moved(const Params& p) {
  const double logits = static_cast<double>(p.cols) * element_size(p.dtype);
  const int results =
      (p.loss_rows != nullptr) + (p.z_loss != nullptr) + (p.lse != nullptr) + 2 * (p.row_state != nullptr);
  const double others = (p.target_type == PLUSMAX_INT32 ? 4 : 8) + (p.argmax != nullptr ? 8 : 0);
  return static_cast<double>(p.rows) *
         (logits * (p.dlogits != nullptr ? 2 : 1) + results * result_size(p.dtype) + others);
}

// Additions of a number into a sum of `items` by slices (workspace.cuh): a thread's, the block's tree, the slices' in a
// warp. In f64, so in units of a coarser roundoff they are next to nothing.
inline double slice_additions(std::int64_t items) {
  const std::int64_t of_thread = (slice_length(items) + slice_threads(items) - 1) / slice_threads(items);
  return static_cast<double>(of_thread) + 2 * kWarpLevels + static_cast<double>(slices_of(items)) / kWarpSize + 1 +
         kWarpLevels;
}

// `additions` and `rescales` are the variant's own, of the sum that leaves the target out until its end: there the sum
// is rescaled once more and the target added. Steps are counted along the longest way through settings.hpp, row_end.cuh
// and coefficients.cuh.
inline CrossEntropyShape row_shape(const Params& p, double additions, double rescales) {
  const Options& o = p.options;
  const bool capped = o.softcap > 0, smooths = o.label_smoothing > 0, f64 = p.dtype == PLUSMAX_F64;
  const FunctionConstants f = function_constants(p.dtype);
  CrossEntropyShape shape{};
  shape.sum = shape_of(p.dtype, additions + 1, rescales + 1);
  // a factor of the exponential that is not log2(e) itself is rounded, too
  if (o.logit_scale != 1 && !capped) shape.sum.exp_argument += 1;
  shape.excl_additions = shape.sum.additions - 1, shape.excl_rescales = shape.sum.rescales;
  shape.exact_join = true;  // exact_exponential() in sums.cuh
  const TanhErrors tanh = tanh_errors(p.dtype);
  shape.log1p_relative = f.log1p_relative, shape.tanh_relative = tanh.value;
  // s / c, times x, c, times tanh; s alone
  shape.logit_roundings = capped ? 4 : o.logit_scale != 1 ? 1 : 0;
  shape.cap_slope = CapSlope::exponential, shape.slope_relative = tanh.slope;
  // A distance is added like an exponential, and once more for each rescale; parts of it were weights before.
  shape.smoothing_additions = smooths ? 2 * shape.sum.additions + shape.sum.rescales : 0;
  const double of_double = 0x1p-53 / shape.sum.unit_roundoff;
  if (sums_weights(p)) shape.weight_additions = slice_additions(counted_items(p)) * of_double;
  // 1 - eps, times w_y, times the distance, plus the other classes', times s, plus the logarithm's part; or times w_y
  shape.loss_roundings = smooths ? 6 : p.weights != nullptr ? 1 : 0;
  // The target's with smoothing: 1 - eps, plus eps / V, times w_y, the complement, its product, u s / Z, times that,
  // two additions; the slope. What is made in f64 is rounded there first: u s, / Z, eps / V.
  shape.gradient_roundings = 9 + (capped ? 1 : 0) + (f64 ? 3 : 0);
  shape.reduction_additions = slice_additions(p.rows), shape.reduction_roundoff = 0x1p-53;
  return shape;
}

// Of a block that gives each thread batches of a row of so many vectors.
inline CrossEntropyShape block_shape(const Params& p, int threads) {
  const double batches = static_cast<double>(stream_batches(row_vectors(p.dtype, p.cols), threads));
  return row_shape(p, batch_additions(p.dtype, kBatchVectors) + (batches - 1) + 1 + block_additions(threads),
                   (batches - 1) + 1 + block_rescales(threads));
}

constexpr unsigned kFloats = 1u << PLUSMAX_F32 | 1u << PLUSMAX_F16 | 1u << PLUSMAX_BF16;

}  // namespace plusmax::cross_entropy
