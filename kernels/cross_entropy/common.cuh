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

// Of the sum of exponentials. `additions` and `rescales` are the variant's own; the target, which the sum leaves out at
// first, is one more of each. A factor that is not log2(e) itself is rounded, too.
inline ErrorShape row_shape(const Params& p, double additions, double rescales) {
  ErrorShape shape = shape_of(p.dtype, additions + 1, rescales + 1);
  if (p.options.logit_scale != 1 && p.options.softcap == 0) shape.exp_argument += 1;
  return shape;
}

// Of a block that gives each thread batches of a row of so many vectors.
inline ErrorShape block_shape(const Params& p, int threads) {
  const double batches = static_cast<double>(stream_batches(row_vectors(p.dtype, p.cols), threads));
  return row_shape(p, batch_additions(p.dtype, kBatchVectors) + (batches - 1) + 1 + block_additions(threads),
                   (batches - 1) + 1 + block_rescales(threads));
}

constexpr unsigned kFloats = 1u << PLUSMAX_F32 | 1u << PLUSMAX_F16 | 1u << PLUSMAX_BF16;

}  // namespace plusmax::cross_entropy
