// Slices of the vocabulary, what both modes that have them share: each slice's logits by a product, their sums taken
// into the rows' sums so far, in the order of the slices; then the rows' results.
#pragma once

#include "kernels/linear_cross_entropy/call.hpp"
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/product_shapes.hpp"
#include "kernels/linear_cross_entropy/products.hpp"

namespace plusmax::linear_cross_entropy {

struct Slice {
  std::int64_t begin, cols;
  const ChunkProducts* products;
};

inline Slice slice_of(const Plan& plan, std::int64_t index) {
  const std::int64_t begin = index * plan.tile_cols, left = plan.shape.vocab - begin;
  return left < plan.tile_cols ? Slice{begin, left, &plan.last_products} : Slice{begin, plan.tile_cols, &plan.products};
}

inline Status slice_logits(const Params& p, const Workspace& space, const Slice& slice, void* stream) {
  return p.plan->gemm.run(slice.products->logits, logits_factors(p, space, slice.begin), false, space.product, stream);
}

// From the gathered rows to their results; leaves the last slice's logits where they are.
inline Status forward_slices(const Params& p, const Workspace& space, void* stream) {
  for (std::int64_t index = 0; index < p.plan->chunks; ++index) {
    const Slice slice = slice_of(*p.plan, index);
    if (Status status = slice_logits(p, space, slice, stream); !status.ok()) return status;
    if (Status status = launch_slice_sums(p, space, slice.begin, slice.cols, stream); !status.ok()) return status;
  }
  if (Status status = cross_entropy::launch_count(rows_call(p, space), space.rows, stream); !status.ok()) return status;
  return launch_close_rows(p, space, stream);
}

// The rows pass the slices' states as additions and rescales, one each a slice.
inline LinearCrossEntropyShape slices_shape(const Params& p) {
  const cross_entropy::Params whole = rows_call(p, layout(p));
  cross_entropy::Params slice = whole;
  slice.cols = p.plan->tile_cols;
  CrossEntropyShape shape = cross_entropy::block_shape(slice, kSliceSumThreads);
  shape.weight_additions = cross_entropy::block_shape(whole, kSliceSumThreads).weight_additions;
  const auto slices = static_cast<double>(p.plan->chunks);
  shape.sum.additions += slices, shape.excl_additions += slices;
  shape.sum.rescales += slices, shape.excl_rescales += slices;
  if (p.options.label_smoothing > 0) shape.smoothing_additions += 3 * slices;
  return with_products(p, shape);
}

}  // namespace plusmax::linear_cross_entropy
