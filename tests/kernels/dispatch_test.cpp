#include "kernels/logsumexp/dispatch.hpp"
#include "tests/catch.hpp"

#include <string>

using namespace plusmax;
using logsumexp::Params;

namespace {

Params shape(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols) {
  Params p;
  p.dtype = dtype;
  p.rows = rows;
  p.cols = cols;
  p.row_stride = cols;
  return p;
}

std::string chosen(const Params& p, bool batch_invariant = false) {
  return logsumexp::choose(p, {batch_invariant}).name;
}

}  // namespace

TEST_CASE("dispatch: short rows go to warps, long rows to blocks, few long rows are split", "[dispatch]") {
  CHECK(chosen(shape(PLUSMAX_BF16, 65536, 1024)) == "warp_per_row");
  CHECK(chosen(shape(PLUSMAX_F32, 3, 7)) == "warp_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 8192, 128256)) == "block_per_row");
  CHECK(chosen(shape(PLUSMAX_BF16, 16, 1048576)) == "split_row");
  CHECK(chosen(shape(PLUSMAX_F32, 1, 16777216)) == "split_row");
}

TEST_CASE("dispatch: f64 never leaves the variants that have it", "[dispatch]") {
  for (const std::int64_t cols : {1, 1000, 1000000}) {
    const Params p = shape(PLUSMAX_F64, 2, cols);
    CHECK((logsumexp::choose(p, {}).dtypes & dtype_bit(PLUSMAX_F64)) != 0);
  }
}

TEST_CASE("dispatch: any col_stride but 1 goes to lanes, unless there is only one column", "[dispatch]") {
  Params p = shape(PLUSMAX_F16, 100, 100);
  p.row_stride = 1;
  p.col_stride = 100;
  CHECK(chosen(p) == "lane_per_row");
  p.cols = 1;
  CHECK(chosen(p) == "warp_per_row");
}

TEST_CASE("dispatch: batch_invariant makes the choice blind to rows", "[dispatch]") {
  for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64})
    for (const std::int64_t cols : {1, 100, 2048, 5000, 40000, 1000000}) {
      const std::string first = chosen(shape(dtype, 1, cols), true);
      for (const std::int64_t rows : {2, 17, 127, 128, 100000}) {
        INFO("dtype " << dtype << " rows " << rows << " cols " << cols);
        CHECK(chosen(shape(dtype, rows, cols), true) == first);
      }
    }
}

TEST_CASE("dispatch: what is chosen supports the parameters", "[dispatch]") {
  for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64})
    for (const std::int64_t rows : {0, 1, 40, 5000})
      for (const std::int64_t cols : {0, 1, 1023, 2049, 8193, 128257, 3000000})
        for (const std::int64_t col_stride : {1, 3}) {
          Params p = shape(dtype, rows, cols);
          p.col_stride = col_stride;
          p.row_stride = cols * col_stride;
          const auto& variant = logsumexp::choose(p, {});
          INFO(variant.name << " dtype " << dtype << " rows " << rows << " cols " << cols << " col_stride "
                            << col_stride);
          CHECK(variant.supports(p).ok());
          CHECK((variant.dtypes & dtype_bit(dtype)) != 0);
        }
}
