// What is decided once for all calls of a shape: the mode, the chunk, the algorithms of the products, the workspace.
#pragma once

#include "kernels/catalog.hpp"
#include "kernels/platform/gemm.hpp"

#include <memory>

namespace plusmax::linear_cross_entropy {

// The products of one chunk.
struct ChunkProducts {
  platform::PlannedProduct logits, dhidden, dweight;
};

struct Plan {
  Params shape;             // of every call: sizes, strides, types, options, and which pointers are null
  PlanOptions options;      // the mode and the chunk as chosen
  std::int64_t rows = 0;    // tokens whose products are computed
  std::int64_t chunks = 0;  // of tokens, or slices of the vocabulary; 0: no tokens
  std::int64_t tile_rows = 0, tile_cols = 0;  // of the logits that exist at a time
  bool hidden_in_dhidden = false;  // compact rows of X lie in the caller's dX until slices have made that
  const KernelVariant<Params>* variant = nullptr;
  const KernelVariant<cross_entropy::Params>* row_variant = nullptr;  // of a chunk of tokens
  platform::Gemm gemm;
  ChunkProducts products, last_products;  // the last slice may be narrower
  std::size_t product_bytes = 0;          // workspace of any one product
  std::size_t workspace_bytes = 0;        // of a call

  std::int64_t chunk() const { return slices() ? tile_cols : tile_rows; }
  bool slices() const { return options.mode != PLUSMAX_TOKEN_CHUNKS; }
  bool sums_dweight_apart() const {
    return shape.dweight != nullptr && shape.dweight_type != PLUSMAX_F32 && chunks > 1 &&
           !options.accumulate_in_dweight_type && !slices();
  }
};

// `budget`: bytes of workspace that a call may have. `shape` and `options` have been checked.
Status make_plan(const Params& shape, const PlanOptions& options, std::size_t budget, std::unique_ptr<Plan>& plan);
// The same as a kernel module offers it, with what has been chosen; refuses what the C ABI does.
Status plan_call(const Params& shape, const PlanOptions& options, std::size_t budget, Planned& planned);

// Times the algorithms of each product on what a call has left in its buffers and keeps the fastest; workspace_bytes
// stays. Afterwards the call's outputs hold anything. Synchronizes.
Status tune(Plan& plan, const Params& call, void* workspace, void* stream);

// Of the logits: those that exist at a time, and all of them, of dtype.
struct LogitsBytes {
  std::size_t chunk, whole;
};
LogitsBytes logits_bytes(const Plan&);

}  // namespace plusmax::linear_cross_entropy
