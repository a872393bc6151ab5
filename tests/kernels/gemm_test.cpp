// The host's product: its order of additions, and what it promises beside it.
#include "kernels/platform/gemm.hpp"
#include "reference/dtype.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

using namespace plusmax;
using namespace plusmax::platform;

namespace {

struct Stored {
  plusmax_dtype dtype;
  std::int64_t lines, stride;
  std::vector<unsigned char> bytes;

  Stored(plusmax_dtype type, std::int64_t rows, std::int64_t cols, double step)
      : dtype(type), lines(rows), stride(cols + 3), bytes(std::size_t(rows * stride) * reference::size_of(type)) {
    for (std::int64_t i = 0; i < rows * stride; ++i) set(i, step == 0 ? NAN : std::sin(step * double(i + 1)));
  }
  void set(std::int64_t i, double value) {
    reference::encode(dtype, value, bytes.data() + std::size_t(i) * reference::size_of(dtype));
  }
  double at(std::int64_t row, std::int64_t col) const {
    return reference::decode(dtype, bytes.data() + std::size_t(row * stride + col) * reference::size_of(dtype));
  }
};

struct Case {
  std::int64_t m, n, k;
  bool a_transposed, b_transposed;
};

void multiply(const Product& product, const Stored& a, const Stored& b, Stored& c, const Stored& bias, bool add) {
  Gemm gemm;
  PlannedProduct planned;
  REQUIRE(gemm.open().ok());
  REQUIRE(gemm.plan(product, 0, planned).ok());
  REQUIRE(gemm.run(planned, {a.bytes.data(), b.bytes.data(), c.bytes.data(), bias.bytes.data()}, add, nullptr, nullptr)
              .ok());
}

Product product_of(const Case& of, const Stored& a, const Stored& b, const Stored& c, bool bias) {
  return {.m = of.m,
          .n = of.n,
          .k = of.k,
          .operands = a.dtype,
          .result = c.dtype,
          .a_transposed = of.a_transposed,
          .b_transposed = of.b_transposed,
          .a_stride = a.stride,
          .b_stride = b.stride,
          .c_stride = c.stride,
          .bias = bias,
          .alignment = 16};
}

}  // namespace

TEST_CASE("gemm: every element is chains of 128 products, in this order", "[gemm]") {
  const Case of = GENERATE(Case{1, 1, 1, false, true}, Case{5, 9, 300, false, true}, Case{131, 3, 128, true, false},
                           Case{2, 130, 129, false, false}, Case{4, 8, 257, true, true});
  const plusmax_dtype dtype = GENERATE(PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16);
  const plusmax_dtype result = GENERATE_COPY(PLUSMAX_F32, dtype);
  const bool with_bias = GENERATE(false, true), add = GENERATE(false, true);
  const Stored a(dtype, of.a_transposed ? of.k : of.m, of.a_transposed ? of.m : of.k, 1.3);
  const Stored b(dtype, of.b_transposed ? of.n : of.k, of.b_transposed ? of.k : of.n, 0.7);
  const Stored bias(result, 1, of.n, 2.1);
  const Stored before(result, of.m, of.n, add ? 0.9 : 0);  // NaN where it must not be read
  Stored c = before;
  multiply(product_of(of, a, b, c, with_bias), a, b, c, bias, add);
  for (std::int64_t i = 0; i < of.m; ++i)
    for (std::int64_t j = 0; j < of.n; ++j) {
      float sum = 0;
      for (std::int64_t from = 0; from < of.k; from += 128) {
        float chain = 0;
        for (std::int64_t k = from; k < std::min(from + 128, of.k); ++k) {
          const float product =
              float(of.a_transposed ? a.at(k, i) : a.at(i, k)) * float(of.b_transposed ? b.at(j, k) : b.at(k, j));
          chain += product;
        }
        sum += chain;
      }
      if (with_bias) sum += float(bias.at(0, j));
      if (add) sum += float(before.at(i, j));
      REQUIRE(c.at(i, j) == reference::round_to(result, double(sum)));
    }
  for (std::int64_t i = 0; i < of.m; ++i) {  // nothing between the rows is written
    const std::size_t size = reference::size_of(result), from = std::size_t(i * c.stride + of.n) * size;
    REQUIRE(std::memcmp(c.bytes.data() + from, before.bytes.data() + from, 3 * size) == 0);
  }
}
