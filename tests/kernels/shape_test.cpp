// error_shape() must describe the launch: it is checked against the depth of the chain that the same constants make.
#include "kernels/logsumexp/config.hpp"
#include "kernels/primitives/block.cuh"
#include "kernels/primitives/stream.cuh"
#include "tests/catch.hpp"
#include "tests/kernels/rows.hpp"

using namespace plusmax;
using namespace plusmax::tests;

namespace {

logsumexp::Params shape(plusmax_dtype dtype, std::int64_t cols) {
  logsumexp::Params p;
  p.dtype = dtype;
  p.rows = 1;
  p.cols = cols;
  p.row_stride = cols;
  return p;
}

}  // namespace

TEST_CASE("error_shape: block_per_row at 128256 bf16 columns counts 8 batches of 512 threads", "[shape]") {
  // 8 additions in a chain of a batch of 4 vectors (one is exact), 2 to join its chains, 7 later batches, the edge, 5
  // and 4 levels over the warps.
  const ErrorShape s = variant("block_per_row").error_shape(shape(PLUSMAX_BF16, 128256));
  CHECK(s.additions == 7 + 2 + 7 + 1 + 5 + 4);
  CHECK(s.rescales == 7 + 1 + 2);
  CHECK(s.unit_roundoff == 0x1p-24);
}

TEST_CASE("error_shape: warp_per_row rescales nothing", "[shape]") {
  CHECK(variant("warp_per_row").error_shape(shape(PLUSMAX_F32, 1000)).rescales == 0);
}

TEST_CASE("error_shape: more columns never mean fewer additions within one launch configuration", "[shape]") {
  for (const auto* each : variants())
    for (std::int64_t cols = 40000; cols < 60000; cols += 977) {
      if (!each->supports(shape(PLUSMAX_F32, cols)).ok()) continue;
      INFO(each->name << " cols " << cols);
      CHECK(each->error_shape(shape(PLUSMAX_F32, cols)).additions <=
            each->error_shape(shape(PLUSMAX_F32, cols + 977)).additions);
    }
}

TEST_CASE("error_shape: f64 has its own unit roundoff and functions", "[shape]") {
  const ErrorShape s = variant("block_per_row").error_shape(shape(PLUSMAX_F64, 100));
  CHECK(s.unit_roundoff == 0x1p-53);
  CHECK(s.exp_argument == 0);
}

TEST_CASE("config: thread counts are whole warps and slots hold the row", "[config]") {
  using namespace plusmax::logsumexp;
  for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64})
    for (std::int64_t cols = 0; cols < 300000; cols = cols * 5 / 4 + 1) {
      CHECK(block_row_threads(dtype, cols) % kWarpSize == 0);
      CHECK(split_row_threads(dtype, cols) % kWarpSize == 0);
      CHECK(splits(dtype, cols) <= kSplitMax);
      const int vectors = warp_row_vectors(dtype, cols);
      if (vectors <= kWarpRowMaxVectors) CHECK(vectors * kWarpSize >= row_vectors(dtype, cols));
    }
}
