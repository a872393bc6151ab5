// What the products of a call, and the sums over its tokens, are made of: docs/numerics.md section 3h.
#pragma once

#include "kernels/cross_entropy/common.cuh"
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/plan.hpp"

namespace plusmax::linear_cross_entropy {

// `rows`: of what runs on the logits. The losses of all tokens are summed at once.
inline LinearCrossEntropyShape with_products(const Params& p, const CrossEntropyShape& rows) {
  const Plan& plan = *p.plan;
  constexpr ProductShape kNone{0x1p-24, 1, kFusedStep, 1, true, 0, false};
  LinearCrossEntropyShape shape{rows, kNone, kNone, kNone, kNone};
  shape.cross_entropy.reduction_additions = cross_entropy::slice_additions(p.tokens);
  if (plan.chunks == 0) return shape;
  const double parts = plan.slices() ? 1 : static_cast<double>(plan.chunks);  // of the sums over tokens
  const double before = p.add_to_dweight ? 1 : 0;                             // what the sum is added to
  shape.logits = platform::product_shape(plan.products.logits.product);
  if (p.dhidden != nullptr) {
    shape.dx = platform::product_shape(plan.products.dhidden.product);
    if (plan.slices() && plan.shape.vocab % plan.tile_cols == 0) shape.dx.ranges *= static_cast<double>(plan.chunks);
    if (plan.slices() && plan.shape.vocab % plan.tile_cols != 0)
      shape.dx.ranges = shape.dx.ranges * static_cast<double>(plan.chunks - 1) +
                        platform::product_shape(plan.last_products.dhidden.product).ranges;
  }
  if (p.dweight != nullptr) {
    shape.dw = platform::product_shape(plan.products.dweight.product);
    shape.dw.ranges = shape.dw.ranges * parts + before;
  }
  const double chains = static_cast<double>((plan.tile_rows + kColumnChain - 1) / kColumnChain);
  shape.dbias.ranges = chains * parts + before;
  return shape;
}

}  // namespace plusmax::linear_cross_entropy
