// The workspace of one call, which holds anything at entry. Compact rows are the tokens that are not ignored, in their
// order. A tile of the logits holds `tile_rows` of them, those behind the last one empty (zeros for X, ignore_index for
// a target), and `tile_cols` classes: a chunk of tokens and all classes, or all rows and a slice of the vocabulary.
#pragma once

#include "kernels/cross_entropy/coefficients.cuh"
#include "kernels/cross_entropy/full.cuh"
#include "kernels/cross_entropy/workspace.cuh"
#include "kernels/linear_cross_entropy/plan.hpp"

namespace plusmax::linear_cross_entropy {

struct Workspace {
  // one each
  double* normalizer;       // {Z, num_valid}, given or counted; NaN for more valid tokens than stated
  std::int64_t* valid;      // tokens that are not ignored
  std::int64_t* num_valid;  // where the caller has no place for it
  float* unread;            // the loss of a chunk
  // of all tokens
  void* counts;         // cross_entropy's workspace
  float* row_losses;    // [tokens, 2], in it: without the z-loss, the z-loss
  std::int64_t* token;  // [tokens], by compact row
  // of all classes
  void* bias;      // [vocab] of the chunk's type
  float* dweight;  // [vocab, features], rounded at the end
  float* dbias;    // [vocab], likewise
  // of a tile's rows
  std::int64_t* targets;
  float* upstream;
  float *loss_rows, *z_loss, *lse;
  std::int64_t* argmax;
  float* tile_losses;  // [tile_rows, 2], as row_losses
  void* hidden;        // [tile_rows, features] of dtype: X, and for chunks then dX; may lie in the caller's dX
  std::int64_t hidden_stride;  // elements
  void* logits;        // [tile_rows, tile_cols] of the chunk's type: logits, then their gradient
  void* rows;          // cross_entropy's workspace
  // of all rows, slice by slice
  void* states;                                      // [tile_rows], what the slices so far came to
  float* target_logit;                               // [tile_rows]
  cross_entropy::Coefficients<float>* coefficients;  // [tile_rows], of the gradient
  float* dhidden;                                    // [tile_rows, features], rounded at the end

  void* product;

  std::size_t bytes;
};

// Rows that begin on a 128-byte line in 16 bits and in 32.
constexpr std::int64_t line_stride(std::int64_t elements) { return (elements + 63) / 64 * 64; }

inline plusmax_dtype chunk_dtype(const Params& p) { return p.plan->options.chunk_dtype; }

// The counts and the reduced loss of all tokens. num_valid is always asked for: compaction needs the counts.
inline cross_entropy::Params whole_call(const Params& p, const Workspace& space) {
  cross_entropy::Params c;
  c.rows = p.tokens;
  c.cols = p.vocab;
  c.target_type = p.target_type;
  c.target_stride = p.target_stride;
  c.targets = p.targets;
  c.weights = p.class_weights;
  c.normalizer = p.normalizer;
  c.options = p.options;
  c.loss = p.loss;
  c.num_valid = p.num_valid != nullptr ? p.num_valid : space.num_valid;
  c.bad_targets = p.bad_targets;
  return c;
}

// The rows of a tile, as wide as the vocabulary. A mean is divided by what all tokens count. A single loss is asked for
// where there is one, for the losses of rows that it leaves in its workspace.
inline cross_entropy::Params rows_call(const Params& p, const Workspace& space) {
  cross_entropy::Params c;
  c.dtype = chunk_dtype(p);
  c.rows = p.plan->tile_rows;
  c.cols = p.vocab;
  c.row_stride = c.dlogits_stride = line_stride(p.plan->tile_cols);
  c.logits = space.logits;
  c.targets = space.targets;
  c.weights = p.class_weights;
  c.options = p.options;
  if (p.options.reduction == PLUSMAX_MEAN) c.normalizer = space.normalizer;
  if (wants_gradient(p)) {
    c.upstream_stride = 1;
    c.upstream = space.upstream;
    c.dlogits = space.logits;
  }
  c.loss_rows = space.loss_rows;
  c.z_loss = space.z_loss;
  c.lse = space.lse;
  if (p.argmax != nullptr) c.argmax = space.argmax;
  if (p.loss != nullptr) c.loss = space.unread;
  return c;
}

// Parts one after the other, each on a 256-byte boundary.
class Parts {
 public:
  explicit Parts(void* base) : base_(reinterpret_cast<std::uintptr_t>(base)) {}

  void* take(std::size_t bytes) {
    const std::uintptr_t at = base_ + bytes_;
    bytes_ += (bytes + 255) / 256 * 256;
    return reinterpret_cast<void*>(at);
  }
  template <class T>
  T* take(std::int64_t count) {
    return static_cast<T*>(take(static_cast<std::size_t>(count) * sizeof(T)));
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uintptr_t base_;
  std::size_t bytes_ = 0;
};

inline std::int64_t compact_stride(const Params& p) {
  return p.plan->hidden_in_dhidden ? p.dhidden_stride : line_stride(p.features);
}

// Of the gradient of the logits as products see it: rounded to 16 bits it stays in its 32-bit rows.
inline std::int64_t dlogits_stride(const Params& p) {
  return line_stride(p.plan->tile_cols) * (element_size(chunk_dtype(p)) / element_size(p.dtype));
}

// Without a base: the size, and addresses that are as aligned as those of any workspace, and not null either.
inline Workspace layout(const Params& p, void* base = reinterpret_cast<void*>(std::uintptr_t{256})) {
  const Plan& plan = *p.plan;
  Workspace w{};
  Parts parts(base);
  w.normalizer = parts.take<double>(8);
  w.valid = reinterpret_cast<std::int64_t*>(w.normalizer + 2);
  w.num_valid = reinterpret_cast<std::int64_t*>(w.normalizer + 3);
  w.unread = reinterpret_cast<float*>(w.normalizer + 4);

  const cross_entropy::Params whole = whole_call(p, w);
  w.counts = parts.take(cross_entropy::call_bytes(whole));
  w.row_losses = static_cast<float*>(cross_entropy::layout(whole, w.counts).row_losses);
  w.token = parts.take<std::int64_t>(p.tokens);

  if (p.bias != nullptr) w.bias = parts.take(static_cast<std::size_t>(p.vocab * element_size(chunk_dtype(p))));
  if (plan.sums_dweight_apart()) w.dweight = parts.take<float>(p.vocab * p.features);
  if (p.dbias != nullptr && p.dweight_type != PLUSMAX_F32) w.dbias = parts.take<float>(p.vocab);

  const std::int64_t tile = plan.tile_rows;
  w.targets = parts.take<std::int64_t>(tile);
  w.upstream = parts.take<float>(tile);
  w.loss_rows = parts.take<float>(tile);
  w.z_loss = parts.take<float>(tile);
  w.lse = parts.take<float>(tile);
  if (p.argmax != nullptr) w.argmax = parts.take<std::int64_t>(tile);
  w.hidden_stride = compact_stride(p);
  w.hidden = plan.hidden_in_dhidden
                 ? p.dhidden
                 : parts.take(static_cast<std::size_t>(tile * line_stride(p.features) * element_size(p.dtype)));
  w.logits = parts.take(static_cast<std::size_t>(tile * line_stride(plan.tile_cols) * element_size(chunk_dtype(p))));
  const cross_entropy::Params rows = rows_call(p, w);
  w.rows = parts.take(plan.row_variant == nullptr ? cross_entropy::call_bytes(rows)
                                                  : plan.row_variant->workspace_bytes(rows));
  w.tile_losses = static_cast<float*>(cross_entropy::layout(rows, w.rows).row_losses);
  if (plan.slices()) {
    w.states = parts.take<cross_entropy::FullState<float>>(tile);
    w.target_logit = parts.take<float>(tile);
    if (wants_gradient(p)) w.coefficients = parts.take<cross_entropy::Coefficients<float>>(tile);
    if (p.dhidden != nullptr) w.dhidden = parts.take<float>(tile * line_stride(p.features));
  }
  w.product = parts.take(plan.product_bytes);
  w.bytes = parts.bytes();
  return w;
}

}  // namespace plusmax::linear_cross_entropy
