// What a linear_cross_entropy variant gets: inputs, options, and every output that is not null.
#pragma once

#include "kernels/cross_entropy/params.hpp"
#include "kernels/status.hpp"

#include <cstddef>
#include <memory>

namespace plusmax::linear_cross_entropy {

using cross_entropy::Options;

struct PlanOptions {
  plusmax_linear_mode mode = PLUSMAX_LINEAR_AUTO;
  std::int64_t chunk = 0;                   // tokens, or classes where the mode slices the vocabulary; 0: planned
  plusmax_dtype chunk_dtype = PLUSMAX_F32;  // of the stored logits: f32 or dtype
  bool accumulate_in_dweight_type = false;  // sum dweight over chunks in its own type, not in f32
  std::int64_t max_valid_tokens = 0;        // tokens that are not ignored, at most; 0: all
};

struct Plan;  // plan.hpp
struct Planned {
  std::shared_ptr<Plan> plan;
  plusmax_linear_mode mode = PLUSMAX_LINEAR_AUTO;  // as chosen
  std::int64_t chunk = 0, chunks = 0;              // tokens, or classes, of a part; parts
  std::size_t workspace_bytes = 0;                 // of a call
  std::size_t chunk_logits_bytes = 0;              // of the logits that exist at a time
};

struct Params {
  using Shape = LinearCrossEntropyShape;

  plusmax_dtype dtype = PLUSMAX_F32;  // f32, f16 or bf16
  std::int64_t tokens = 0, vocab = 0, features = 0;
  std::int64_t hidden_stride = 0;  // elements
  const void* hidden = nullptr;    // X, [tokens, features] of dtype
  std::int64_t weight_stride = 0;  // elements
  const void* weight = nullptr;    // W, [vocab, features] of dtype
  const void* bias = nullptr;      // [vocab] of dtype, or null
  plusmax_target_type target_type = PLUSMAX_INT64;
  std::int64_t target_stride = 1;        // elements; 0 repeats one target
  const void* targets = nullptr;         // [tokens]
  const float* class_weights = nullptr;  // [vocab], or null: 1
  std::int64_t upstream_stride = 0;      // elements; 0: one value for all tokens
  const float* upstream = nullptr;       // null: 1
  const double* normalizer = nullptr;    // {Z, num_valid}, or null: counted
  Options options;

  std::int64_t dhidden_stride = 0;           // elements
  void* dhidden = nullptr;                   // [tokens, features] of dtype
  plusmax_dtype dweight_type = PLUSMAX_F32;  // of dweight and dbias: f32 or dtype
  bool add_to_dweight = false;               // and to dbias: what they hold is kept and added to
  std::int64_t dweight_stride = 0;           // elements
  void* dweight = nullptr;                   // [vocab, features]
  void* dbias = nullptr;                     // [vocab]
  // [tokens]
  float* loss_rows = nullptr;
  float* z_loss = nullptr;
  float* lse = nullptr;
  std::int64_t* argmax = nullptr;
  // one value each
  float* loss = nullptr;
  std::int64_t* num_valid = nullptr;
  std::int64_t* bad_targets = nullptr;
  std::int64_t* excess_tokens = nullptr;  // valid tokens beyond the stated maximum

  const Plan* plan = nullptr;
};

// The products of a plan's calls and nothing else, over all of its rows and classes at once, results in the type of X:
// what a call is measured against. Overwrites dX and dW.
class ProductCeiling {
 public:
  virtual ~ProductCeiling() = default;
  virtual int count() const = 0;  // logits, once more where gradients come slice by slice, dX, dW
  virtual std::size_t workspace_bytes() const = 0;
  // Times the algorithms of each product and keeps the fastest. Synchronizes.
  virtual Status tune(const Params& call, void* workspace, void* stream) = 0;
  virtual Status run(const Params& call, void* workspace, void* stream) const = 0;
};

inline bool wants_gradient(const Params& p) {
  return p.dhidden != nullptr || p.dweight != nullptr || p.dbias != nullptr;
}

}  // namespace plusmax::linear_cross_entropy
