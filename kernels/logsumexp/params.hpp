// What a logsumexp variant gets.
#pragma once

#include "kernels/error_shape.h"
#include "kernels/include/plusmax/types.h"

#include <cstdint>

namespace plusmax::logsumexp {

struct Params {
  using Shape = ErrorShape;

  plusmax_dtype dtype = PLUSMAX_F32;
  std::int64_t rows = 0, cols = 0;
  std::int64_t row_stride = 0, col_stride = 1;  // elements; row_stride 0 repeats one row
  const void* logits = nullptr;                 // [rows, cols] of dtype
  std::int64_t lse_stride = 1;                  // elements
  void* lse = nullptr;                          // [rows], f32 (f64 for f64)
};

}  // namespace plusmax::logsumexp
