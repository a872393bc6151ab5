#include "reference/error.hpp"

#include "reference/dtype.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <string>

using namespace plusmax::reference;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("error: ulp(y) is the spacing of y's binade, the one above at a power of two", "[error]") {
  struct Row {
    plusmax_dtype dtype;
    double y, ulp;
  };
  const Row page[] = {
      {PLUSMAX_F32, 1.0, 0x1p-23},
      {PLUSMAX_F32, 1.5, 0x1p-23},
      {PLUSMAX_F32, 1 - 0x1p-24, 0x1p-24},
      {PLUSMAX_F32, -2.0, 0x1p-22},
      {PLUSMAX_F32, 0x1p-126, 0x1p-149},
      {PLUSMAX_F32, 0x1p-127, 0x1p-149},
      {PLUSMAX_F32, 0.0, 0x1p-149},
      {PLUSMAX_F32, 0x1p-149, 0x1p-149},
      {PLUSMAX_F32, 0x1p-300, 0x1p-149},
      {PLUSMAX_F32, 0x1.fffffep127, 0x1p104},
      {PLUSMAX_F16, 1.0, 0x1p-10},
      {PLUSMAX_F16, 0x1p-14, 0x1p-24},
      {PLUSMAX_BF16, 1.0, 0x1p-7},
      {PLUSMAX_F64, 1.0, 0x1p-52},
      {PLUSMAX_F64, 0.0, 0x1p-1074},
      {PLUSMAX_F64, 0x1p-1074, 0x1p-1074},
      {PLUSMAX_F64, 0x1.fffffffffffffp1023, 0x1p971},
  };
  for (const Row& r : page) {
    INFO(name_of(r.dtype) << " " << r.y);
    CHECK(ulp(r.dtype, r.y) == r.ulp);
    CHECK(ulp(r.dtype, -r.y) == r.ulp);
  }
}

TEST_CASE("error: a page of ulp identities", "[error]") {
  struct Row {
    const char* what;
    plusmax_dtype dtype;
    double got;
    DoubleDouble exact;
    double ulps;
  };
  const double top = 0x1.fffffep127;
  const Row page[] = {
      {"itself", PLUSMAX_F32, 1.25, {1.25, 0}, 0},
      {"next above", PLUSMAX_F32, 1 + 0x1p-23, {1, 0}, 1},
      {"next below a power of two is half a spacing away", PLUSMAX_F32, 1 - 0x1p-24, {1, 0}, -0.5},
      {"a tie", PLUSMAX_F32, 1, {1 + 0x1p-24, 0}, -0.5},
      {"signed: negative results too", PLUSMAX_F32, -1 - 0x1p-23, {-1, 0}, -1},
      {"just below a power of two the binade below counts", PLUSMAX_F32, 1, {1, -0x1p-60}, 0x1p-36},
      {"just above it the one above", PLUSMAX_F32, 1, {1, 0x1p-60}, -0x1p-37},
      {"negative powers of two alike", PLUSMAX_F32, -1, {-1, 0x1p-60}, -0x1p-36},
      {"at zero the subnormal spacing", PLUSMAX_F32, 0x1p-149, {0, 0}, 1},
      {"between subnormals", PLUSMAX_F32, 0x1p-148, {0x1p-149, 0}, 1},
      {"below the smallest subnormal", PLUSMAX_F32, 0, {0x1p-150, 0}, -0.5},
      {"signed zeros are equal", PLUSMAX_F32, -0.0, {0, 0}, 0},
      {"far beyond", PLUSMAX_F32, 3, {1, 0}, 0x1p24},
      {"infinite result counts as 2^128", PLUSMAX_F32, kInfinity, {top, 0}, 1},
      {"of either sign", PLUSMAX_F32, -kInfinity, {-top, 0}, -1},
      {"exact beyond the largest and infinite result", PLUSMAX_F32, kInfinity, {0x1.ffffffp127, 0}, 0},
      {"exact beyond the largest by its low part", PLUSMAX_F32, kInfinity, {top, 0x1p60}, 0},
      {"exact infinite in f32 only", PLUSMAX_F32, kInfinity, {1e300, 0}, 0},
      {"exact beyond, result the largest", PLUSMAX_F32, top, {0x1p128, 0}, -0.5},
      {"infinity of the wrong sign", PLUSMAX_F32, -kInfinity, {1, 0}, -kInfinity},
      {"both infinite", PLUSMAX_F32, kInfinity, {kInfinity, 0}, 0},
      {"finite for infinite", PLUSMAX_F32, 5, {kInfinity, 0}, -kInfinity},
      {"finite for minus infinity", PLUSMAX_F32, 5, {-kInfinity, 0}, kInfinity},
      {"NaN for NaN", PLUSMAX_F32, kNan, {kNan, 0}, 0},
      {"NaN for a number", PLUSMAX_F32, kNan, {1, 0}, kInfinity},
      {"a number for NaN", PLUSMAX_F32, 1, {kNan, 0}, kInfinity},
      {"f64 keeps the low part", PLUSMAX_F64, 1, {1, 0x1p-54}, -0.25},
      {"f64 subnormal", PLUSMAX_F64, 0x1p-1073, {0x1p-1074, 0}, 1},
      {"f64 infinite result", PLUSMAX_F64, kInfinity, {0x1.fffffffffffffp1023, 0}, 1},
      {"f16", PLUSMAX_F16, 2, {2 - 0x1p-10, 0}, 1},
      {"bf16", PLUSMAX_BF16, 1, {1 + 0x1p-8, 0}, -0.5},
  };
  for (const Row& r : page) {
    INFO(r.what << ": got " << r.got << ", exact " << r.exact.hi << " + " << r.exact.lo);
    CHECK(ulp_error(r.dtype, r.got, r.exact) == r.ulps);
  }
}

TEST_CASE("error: a correctly rounded result is within half an ulp", "[error]") {
  for (int i = 1; i < 2000; ++i) {
    const DoubleDouble exact{std::exp(i * 0.1 - 90), 0};
    CHECK(std::fabs(ulp_error(PLUSMAX_F32, round_to(PLUSMAX_F32, exact.hi), exact)) <= 0.5);
  }
}

TEST_CASE("error: the absolute error is exact where it is a double, and rounded up elsewhere", "[error]") {
  CHECK(absolute_error(1, {1, 0}) == 0);
  CHECK(absolute_error(1, {1, 0x1p-80}) == 0x1p-80);
  CHECK(absolute_error(1, {3, 0}) == 2);
  CHECK(absolute_error(-1, {1, -0x1p-54}) <= 2 + 0x1p-50);  // two ulp of slack, no more
  CHECK(absolute_error(-1, {1, 0x1p-54}) > 2);              // 2 + 2^-54 is no double
  CHECK(absolute_error(0x1p-1074, {0, 0}) == 0x1p-1074);
  CHECK(absolute_error(1e308, {-1e308, 0}) == kInfinity);
}

TEST_CASE("error: values are classed as finite, infinite of either sign, or NaN", "[error]") {
  CHECK(classify(0) == ValueClass::finite);
  CHECK(classify(-1e308) == ValueClass::finite);
  CHECK(classify(kInfinity) == ValueClass::positive_infinity);
  CHECK(classify(-kInfinity) == ValueClass::negative_infinity);
  CHECK(classify(kNan) == ValueClass::nan);
  CHECK(std::string(name_of(ValueClass::positive_infinity)) == "+inf");
}
