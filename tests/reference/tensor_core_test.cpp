// The emulated tensor core against integer arithmetic, and against what an H200 gave.
#include "kernels/tools/tensor_core.hpp"

#include "reference/dtype.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using plusmax::Alignment;
using plusmax::TensorCore;
using namespace plusmax::reference;

namespace {
__extension__ using Wide = __int128;
using Encoded = std::vector<std::uint16_t>;

// Factors of 12 bits, the largest below 2^16, the least bit 2^-24: products and their sums are multiples of 2^-48.
struct Factor {
  std::int64_t integer;
  int exponent;  // value: integer 2^exponent
  double value() const { return std::ldexp(static_cast<double>(integer), exponent); }
};
constexpr int kLeast = -48;

Factor draw(std::mt19937_64& random) {
  const auto integer = static_cast<std::int64_t>(random() % 4096) - 2048;
  return {random() % 16 == 0 ? 0 : integer, static_cast<int>(random() % 29) - 24};
}

int top_bit(Wide a) {
  int bit = -1;
  for (Wide rest = a < 0 ? -a : a; rest > 0; rest >>= 1) ++bit;
  return bit;
}
Wide cut(Wide a, int bits) {
  if (bits <= 0) return a;
  const Wide size = a < 0 ? -a : a, kept = size >> bits << bits;
  return a < 0 ? -kept : kept;
}

// What the core leaves, in units of 2^-48. Places below that hold nothing.
Wide in_integers(const TensorCore& core, const std::vector<Factor>& a, const std::vector<Factor>& b) {
  Wide sum = 0;
  for (std::size_t k = 0; k < a.size(); k += static_cast<std::size_t>(core.terms)) {
    const std::size_t end = std::min(a.size(), k + static_cast<std::size_t>(core.terms));
    std::vector<Wide> addends{sum};
    int top = top_bit(sum);
    for (std::size_t i = k; i < end; ++i) {
      const Wide product = Wide{a[i].integer} * b[i].integer;
      const int shift = a[i].exponent + b[i].exponent - kLeast;
      addends.push_back(product << shift);
      if (product == 0) continue;
      const bool factors = core.alignment == Alignment::factors;
      top = std::max(top, shift + (factors ? top_bit(a[i].integer) + top_bit(b[i].integer) : top_bit(product)));
    }
    sum = 0;
    for (const Wide each : addends) sum += cut(each, top - 23 - core.extra_bits);
    sum = cut(sum, top_bit(sum) - 23);
  }
  return sum;
}

float emulated(const TensorCore& core, const std::vector<Factor>& a, const std::vector<Factor>& b) {
  return core.range(
      0, a.size(), [&](std::size_t k) { return a[k].value(); }, [&](std::size_t k) { return b[k].value(); });
}

// Every one but the first, which is the H200's.
constexpr TensorCore kCores[] = {
    {}, {16, 2, Alignment::products}, {4, 2}, {8, 2}, {32, 2}, {64, 2}, {16, 0}, {16, 1}, {16, 3}, {16, 4},
};

// Two elements of products of 128 x 128 x 64 by cuBLASLt, which every other core of the list computes differently.
struct Measured {
  plusmax_dtype dtype;
  float result;
  Encoded a, b;
};
const Measured kMeasured[] = {
    {PLUSMAX_F16,
     -0x1.6db53cp+4f,
     {0x9c42, 0xbe9b, 0xcd49, 0xc716, 0xb198, 0xd2f1, 0x44a5, 0x493c, 0x2631, 0x301c, 0x30a0, 0xa8e8, 0x2315,
      0x2649, 0x5296, 0x9667, 0x5519, 0x409d, 0xa143, 0x38c4, 0x3489, 0x2a7f, 0xb913, 0xa86f, 0x3923, 0x388c,
      0xcbe9, 0x38b2, 0x3843, 0x3ddf, 0xd3bc, 0xb39f, 0x4179, 0xc456, 0x4c9f, 0xcbdb, 0xa590, 0x9ff3, 0x299b,
      0xb841, 0xbdbc, 0xa988, 0x30a0, 0x2f7d, 0x49d6, 0xaafb, 0x2958, 0xb8c7, 0xa2da, 0x8a80, 0x2c13, 0xa231,
      0x458f, 0xaa84, 0xb45f, 0x1dbb, 0x4019, 0x30ea, 0x4687, 0x4580, 0x1a01, 0xd02a, 0xc113, 0x154d},
     {0xc058, 0x3b14, 0xade4, 0xc105, 0x3b40, 0xaee5, 0xbb15, 0xbcb7, 0xbc0b, 0x3c5d, 0x3067, 0xc12b, 0xb80b,
      0x3908, 0xbba7, 0xa764, 0xb7b4, 0xb664, 0x3d9f, 0xb9ac, 0x3a31, 0xb8e8, 0xb630, 0xbf45, 0x2f79, 0xab5e,
      0xbd10, 0x3aff, 0x40e8, 0xbf67, 0xba1d, 0x2ed9, 0x3a59, 0xb981, 0x3dd8, 0xb9fb, 0x3a8b, 0xb844, 0xa67b,
      0xbc45, 0xbeb8, 0x3701, 0xbbcb, 0x3cc2, 0xba2a, 0xb772, 0x3ad0, 0xbb7e, 0x368d, 0xb2ca, 0x3813, 0xbce3,
      0x3ca4, 0x3e27, 0x36d6, 0x3473, 0xbb48, 0xbd05, 0xbcd1, 0xb093, 0x3a80, 0x3cac, 0x39b4, 0x3ae2}},
    {PLUSMAX_BF16,
     0x1.b189dp-1f,
     {0x411a, 0x3ee0, 0x3f0f, 0x3ea2, 0xc06d, 0xc18b, 0x416b, 0xc073, 0x3e12, 0x3f6b, 0xbe4b, 0x4145, 0xbccc,
      0xbde2, 0xbd1f, 0xbf61, 0xbdaf, 0xc02c, 0x3c30, 0x40e3, 0x3e33, 0xbde4, 0x4182, 0xc04e, 0x3d8e, 0xc109,
      0xc28d, 0x42bb, 0xc25a, 0xc203, 0xbc89, 0x3f7b, 0x40cd, 0xbe9a, 0xbc47, 0xc19a, 0x3c96, 0xc1df, 0x403c,
      0xc0ba, 0xc233, 0x4072, 0xbc7a, 0x3ffd, 0xbcf7, 0xc20a, 0xc0d2, 0x3ec0, 0xbebf, 0x41b2, 0x409a, 0xc1b3,
      0x3eb1, 0xc03e, 0xc1a3, 0x3fde, 0xbc97, 0xbf12, 0x3fe5, 0x3fa3, 0x3e89, 0x3ce3, 0xbb4d, 0x3d02},
     {0x3f69, 0x3ef2, 0xbf23, 0xbf81, 0xbf84, 0x3fd8, 0x3f97, 0xbfe0, 0x3db7, 0xbf6c, 0x3fb1, 0xbf8d, 0xbe27,
      0xbfea, 0x3f22, 0x3db2, 0xbf79, 0xc001, 0x3f57, 0xbe59, 0x3f82, 0xbd9a, 0xbfbc, 0x3f82, 0xbf4a, 0x3f60,
      0xbf58, 0xbfb4, 0xbf2d, 0xbe87, 0x3f36, 0x3f1f, 0xbe79, 0x3ef7, 0xbf1a, 0xbf31, 0x3f81, 0xbedf, 0x3f57,
      0x3efa, 0xbd75, 0x3e7e, 0x3d45, 0xc021, 0x3fbd, 0xbf93, 0xbe37, 0xbe81, 0xbfbb, 0x3ca7, 0x3f02, 0xbeac,
      0xbdf5, 0x3e95, 0x3f03, 0x3e7b, 0x3fc1, 0x3e5d, 0x3fbf, 0xbe83, 0x3f0b, 0xbfa2, 0x3f3d, 0x3f5b}},
};
}  // namespace

TEST_CASE("tensor core: emulated bits are those of integer arithmetic, and each parameter shows", "[linear]") {
  std::mt19937_64 random(65);
  for (const TensorCore& core : kCores) {
    int differ = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      std::vector<Factor> a, b;
      for (std::size_t terms = 1 + random() % 200; a.size() < terms;)
        a.push_back(draw(random)), b.push_back(draw(random));
      const float got = emulated(core, a, b);
      CHECK(static_cast<double>(got) == std::ldexp(static_cast<double>(in_integers(core, a, b)), kLeast));
      differ += got != emulated({}, a, b);
    }
    CHECK((differ > 100) == (&core != kCores));
  }
}

TEST_CASE("tensor core: two results of an H200, which any other block, place or alignment misses", "[linear]") {
  for (const Measured& m : kMeasured) {
    for (const TensorCore& core : kCores) {
      const float got = core.range(
          0, m.a.size(), [&](std::size_t k) { return decode(m.dtype, &m.a[k]); },
          [&](std::size_t k) { return decode(m.dtype, &m.b[k]); });
      CHECK((got == m.result) == (&core == kCores));
    }
  }
}

TEST_CASE("tensor core: nothing but zeros, a sum that cancels, and the least numbers", "[linear]") {
  const TensorCore core;
  const double zero[] = {0, -0.0}, one[] = {1, 1}, cancels[] = {0x1p-149, -0x1p-149};
  CHECK(core.step(0, zero, one, 2) == 0);
  CHECK(core.step(3, zero, one, 2) == 3);
  CHECK(core.step(0, cancels, one, 2) == 0);
  const double small[] = {0x1p-100}, smaller[] = {0x1p-50}, bits[] = {0x1.8p-49};
  CHECK(core.step(0, small, bits, 1) == 0x1p-149f);
  CHECK(core.step(0, small, smaller, 1) == 0);
}
