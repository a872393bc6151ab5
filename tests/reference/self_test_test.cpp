#include "reference/self_test.hpp"

#include "reference/logsumexp.hpp"
#include "reference/speed.hpp"
#include "tests/catch.hpp"
#include "tests/reference/degraded/degraded.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
bool can_contract() {
  if (!PLUSMAX_CONTRACTED_NEEDS_FMA || tier_available(Tier::avx2)) return true;
  WARN("skipped: no FMA instructions on this CPU");
  return false;
}

RowKernel wrong_kernel(double factor) {
  static double scale;
  scale = factor;
  RowKernel k = portable_row_kernel();
  k.exponentials = [](const DoubleDouble* x, DoubleDouble* y, std::size_t count, const ExpTables& t) {
    portable_row_kernel().exponentials(x, y, count, t);
    for (std::size_t i = 0; i < count; ++i) y[i] = multiply(y[i], {1, scale});
  };
  return k;
}
}  // namespace

TEST_CASE("self-test: this build passes, with an error that is seen and below the proved one", "[self_test]") {
  const double worst = self_test();
  CHECK(worst <= kExpRelativeError);
  CHECK(worst > 0x1p-92);
}

TEST_CASE("self-test: it takes less than 50 ms", "[self_test]") {
  self_test();  // tables
  double best = 1;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    self_test();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  CHECK(best < PLUSMAX_SELF_TEST_SECONDS);
}

TEST_CASE("self-test: a build with contraction is refused", "[self_test]") {
  if (!can_contract()) return;
  CHECK_THROWS_AS(check_row_kernel(contractible_row_kernel(), "contracted"), std::logic_error);
}

// GCC contracts a product only if every use of it can be: splitting it by fma(a, b, -p) happens to protect it. Clang does not.
TEST_CASE("self-test: a build of the portable tier with contraction is refused, or has the same bits", "[self_test]") {
  if (!can_contract()) return;
  try {
    check_row_kernel(contracted_row_kernel(), "contracted");
  } catch (const std::logic_error&) {
    return;
  }
  std::vector<DoubleDouble> x(10000), want(x.size()), got(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {-0.0687 * static_cast<double>(i), 0};
  portable_row_kernel().exponentials(x.data(), want.data(), x.size(), exp_tables());
  contracted_row_kernel().exponentials(x.data(), got.data(), x.size(), exp_tables());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (want[i].hi != got[i].hi || want[i].lo != got[i].lo) FAIL("exp(" << x[i].hi << ") passed with other bits");
  }
}

TEST_CASE("self-test: a build with fast-math is refused", "[self_test]") {
  CHECK_THROWS_AS(check_row_kernel(fast_math_row_kernel(), "fast-math"), std::logic_error);
}

TEST_CASE("self-test: exponentials wrong by 2^-81 and sums without their compensation are refused", "[self_test]") {
  CHECK_THROWS_AS(check_row_kernel(wrong_kernel(0x1p-81), "planted"), std::logic_error);
  CHECK_NOTHROW(check_row_kernel(wrong_kernel(0), "intact"));
  RowKernel uncompensated = portable_row_kernel();
  uncompensated.sum_f64 = [](const double* row, std::size_t cols, double max, std::size_t at, const ExpTables& t, ChainSums& s) {
    portable_row_kernel().sum_f64(row, cols, max, at, t, s);
    for (double& lo : s.lo) lo = 0;
  };
  CHECK_THROWS_AS(check_row_kernel(uncompensated, "uncompensated"), std::logic_error);
}

TEST_CASE("speed: the double-double tier is far faster than a loop in cpp_bin_float_50", "[speed]") {
  const ReferenceSpeed s = measure_reference_speed();
  CHECK(s.tier == best_tier());
  CHECK(s.elements_per_second > 20 * s.oracle_loop_elements_per_second);
  CHECK(s.oracle_loop_elements_per_second > 0);
}
