// Matrix products: cuBLASLt on a GPU, plain loops on the host machine. Planned once, since cuBLASLt's heuristics may
// allocate; run without allocating, synchronizing or choosing anything. Same plan, same bits.
#pragma once

#include "kernels/error_shape.h"
#include "kernels/status.hpp"

#include <cstddef>
#include <cstdint>

namespace plusmax::platform {

// C = A B, or C + A B: products accumulated in f32, the bias added, the result rounded once. Row-major.
struct Product {
  std::int64_t m, n, k;                             // C is [m, n], what is summed over is k long; each at least 1
  plusmax_dtype operands;                           // A and B: f32, f16 or bf16
  plusmax_dtype result;                             // C and the bias: f32 or that
  bool a_transposed = false, b_transposed = false;  // stored as [k, m], [n, k]
  std::int64_t a_stride, b_stride, c_stride;        // elements from a stored row to the next
  bool bias = false;                                // of each column; 256-byte aligned
  int alignment;                                    // bytes that the addresses of A, B and C are multiples of
};

struct Factors {
  const void *a, *b;
  void* c;
  const void* bias;  // [n], if the product has one
};

struct PlannedProduct {
  Product product;
  std::uint64_t algorithm[8];  // cuBLASLt's choice
  std::size_t workspace_bytes;
};

class Gemm {
 public:
  Gemm() = default;
  Gemm(const Gemm&) = delete;
  Gemm& operator=(const Gemm&) = delete;
  ~Gemm();

  Status open();
  Status plan(const Product&, std::size_t most_workspace_bytes, PlannedProduct&) const;
  // Reads C only to `add` to it.
  Status run(const PlannedProduct&, const Factors&, bool add, void* workspace, void* stream) const;
  // Times the algorithms that need no more workspace and keeps the fastest; C is overwritten. Synchronizes.
  Status tune(PlannedProduct&, std::size_t most_workspace_bytes, const Factors&, bool add, void* workspace,
              void* stream) const;

 private:
  void* library_ = nullptr;
};

// What a tensor core is taken for: products that a step adds, and bits that it keeps below f32's last place.
// docs/numerics.md section 3h.
inline constexpr int kTensorCoreTerms = 16, kTensorCoreBits = 2;

// Additions that a product of two elements passes through on its way into C, at most.
double product_additions(std::int64_t k);
// How a sum over k is made, without what C holds before: docs/numerics.md section 3h.
ProductShape product_shape(const Product&);

}  // namespace plusmax::platform
