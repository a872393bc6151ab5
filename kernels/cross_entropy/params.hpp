// What a cross_entropy variant gets: inputs, options, and every output that is not null.
#pragma once

#include "kernels/error_shape.h"
#include "kernels/include/plusmax/types.h"

#include <cstdint>

namespace plusmax::cross_entropy {

struct Options {
  plusmax_reduction reduction = PLUSMAX_MEAN;
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;   // eps, in [0, 1)
  double z_loss = 0;            // lambda, 0 or more
  double softcap = 0;           // c: z = c tanh(s x / c); 0 is off
  double logit_scale = 1;       // s, above 0
  bool nan_when_empty = false;  // the mean over no weight at all: NaN instead of 0
};

struct Params {
  using Shape = CrossEntropyShape;

  plusmax_dtype dtype = PLUSMAX_F32;
  std::int64_t rows = 0, cols = 0;
  std::int64_t row_stride = 0;   // elements
  const void* logits = nullptr;  // [rows, cols] of dtype
  plusmax_target_type target_type = PLUSMAX_INT64;
  std::int64_t target_stride = 1;      // elements; 0 repeats one target
  const void* targets = nullptr;       // [rows]
  const float* weights = nullptr;      // [cols], or null: 1
  std::int64_t upstream_stride = 0;    // elements; 0: one value for all rows
  const float* upstream = nullptr;     // null: 1
  const double* normalizer = nullptr;  // {Z, num_valid}, or null: counted
  Options options;
  bool backward = false;  // row_state is an input and dlogits the only output

  std::int64_t dlogits_stride = 0;  // elements
  void* dlogits = nullptr;          // [rows, cols] of dtype; logits themselves, or disjoint from them
  // [rows] of f32 (f64 for f64)
  void* loss_rows = nullptr;
  void* z_loss = nullptr;
  void* lse = nullptr;
  void* row_state = nullptr;       // [rows, 2]: maximum, and the sum without the target's column
  std::int64_t* argmax = nullptr;  // [rows]
  // one value each
  void* loss = nullptr;  // f32 (f64 for f64)
  std::int64_t* num_valid = nullptr;
  std::int64_t* bad_targets = nullptr;
};

}  // namespace plusmax::cross_entropy
