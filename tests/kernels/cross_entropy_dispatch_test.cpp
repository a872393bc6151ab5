#include "kernels/cross_entropy/dispatch.hpp"
#include "tests/catch.hpp"

#include <string>

using namespace plusmax;
using cross_entropy::Params;

namespace {

Params shape(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, bool gradient = true) {
  static double memory;  // never looked at
  Params p;
  p.dtype = dtype;
  p.rows = rows;
  p.cols = cols;
  p.row_stride = p.dlogits_stride = cols;
  p.logits = &memory;
  if (gradient) p.dlogits = &memory;
  return p;
}

}  // namespace

TEST_CASE("cross_entropy dispatch: what is chosen supports the parameters, whatever they are",
          "[cross_entropy][dispatch]") {
  for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64})
    for (const std::int64_t rows : {0, 1, 40, 5000})
      for (const std::int64_t cols : {1, 1023, 2049, 8193, 128257, 3000000})
        for (const bool gradient : {false, true})
          for (const bool backward : {false, true})
            for (const bool invariant : {false, true}) {
              Params p = shape(dtype, rows, cols, gradient || backward);
              p.backward = backward;
              const auto& variant = cross_entropy::choose(p, invariant);
              INFO(variant.name << " dtype " << dtype << " rows " << rows << " cols " << cols);
              CHECK(variant.supports(p).ok());
              CHECK((variant.dtypes & dtype_bit(dtype)) != 0);
            }
}

TEST_CASE("cross_entropy dispatch: long rows go to clusters, a few longer ones are split, losses alone go to blocks",
          "[cross_entropy][dispatch]") {
  const auto chosen = [](const Params& p) { return std::string(cross_entropy::choose(p, false).name); };
  CHECK(chosen(shape(PLUSMAX_BF16, 65536, 1024)) == "warp_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 8192, 8192)) == "block_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 8192, 32000)) == "cluster_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 8192, 128256)) == "cluster_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 8192, 128256, false)) == "block_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 8192, 1 << 20)) == "two_pass");
  CHECK(chosen(shape(PLUSMAX_BF16, 4, 128256)) == "cluster_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 4, 1 << 20)) == "split_row");
  CHECK(chosen(shape(PLUSMAX_F32, 1, 1 << 24, false)) == "split_row");
  CHECK(chosen(shape(PLUSMAX_F64, 10, 128256)) == "two_pass");
}

TEST_CASE("cross_entropy dispatch: batch_invariant makes the choice blind to rows and outputs",
          "[cross_entropy][dispatch]") {
  for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_BF16, PLUSMAX_F64})
    for (const std::int64_t cols : {1, 100, 2048, 5000, 40000, 1000000}) {
      const std::string first = cross_entropy::choose(shape(dtype, 1, cols), true).name;
      for (const std::int64_t rows : {2, 17, 127, 100000})
        for (const bool gradient : {false, true})
          CHECK(cross_entropy::choose(shape(dtype, rows, cols, gradient), true).name == first);
    }
}

TEST_CASE(
    "cross_entropy: error shapes have their type's unit roundoff and never shrink while the launch stays the same",
    "[cross_entropy][shape]") {
  for (const auto* variant : plusmax_module()->cross_entropy) {
    CHECK(variant->error_shape(shape(PLUSMAX_F32, 1, 500)).sum.unit_roundoff == 0x1p-24);
    for (std::int64_t cols = 40000; cols < 60000; cols += 977)
      CHECK(variant->error_shape(shape(PLUSMAX_F32, 1, cols)).sum.additions <=
            variant->error_shape(shape(PLUSMAX_F32, 1, cols + 977)).sum.additions);
  }
}
