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
bool refused_or_same_bits(const RowKernel& kernel) {
  try {
    check_row_kernel(kernel, "contracted");
  } catch (const std::logic_error&) {
    return true;
  }
  std::vector<DoubleDouble> x(10000), want(x.size()), got(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {-0.0687 * static_cast<double>(i), 0};
  portable_row_kernel().exponentials(x.data(), want.data(), x.size(), exp_tables());
  kernel.exponentials(x.data(), got.data(), x.size(), exp_tables());
  const auto same = [](DoubleDouble a, DoubleDouble b) { return a.hi == b.hi && a.lo == b.lo; };
  return std::equal(want.begin(), want.end(), got.begin(), same);
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

TEST_CASE("self-test: contraction is refused, or has changed no bit", "[self_test]") {
  if (!can_contract()) return;
  CHECK(refused_or_same_bits(contractible_row_kernel()));
  CHECK(refused_or_same_bits(contracted_row_kernel()));
#if defined(__GNUC__) && !defined(__clang__)
  // GCC fuses a product into every use of it; clang only one that is used once, and the algorithm has none that matters.
  CHECK_THROWS_AS(check_row_kernel(contractible_row_kernel(), "contracted"), std::logic_error);
#endif
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

TEST_CASE("self-test: passes of cross_entropy that lose a compensation or a low half are refused", "[self_test]") {
  CHECK_NOTHROW(check_cross_entropy_kernel(portable_cross_entropy_kernel(), "intact"));
  CrossEntropyKernel uncompensated = portable_cross_entropy_kernel(), single = portable_cross_entropy_kernel(), flat = single;
  uncompensated.sums = [](PairColumns z, const double* w, std::size_t blocks, std::size_t skip, DoubleDouble max,
                          const ExpTables& t, PairColumns e, CrossEntropySums& s) {
    portable_cross_entropy_kernel().sums(z, w, blocks, skip, max, t, e, s);
    for (double& lo : s.sum_lo) lo = 0;
  };
  single.gradient = [](PairColumns e, PairColumns slope, const double* w, std::size_t blocks, DoubleDouble inverse,
                       DoubleDouble of_p, DoubleDouble of_weight, double* p, PairColumns dx) {
    portable_cross_entropy_kernel().gradient(e, slope, w, blocks, {inverse.hi, 0}, of_p, of_weight, p, dx);
  };
  flat.logits = [](const double* x, std::size_t blocks, double scale, double cap, const ExpTables& t, PairColumns z,
                   PairColumns slope) {
    portable_cross_entropy_kernel().logits(x, blocks, scale, cap, t, z, slope);
    for (std::size_t i = 0; i < blocks * kChains; ++i) slope.lo[i] = 0;
  };
  for (const CrossEntropyKernel& k : {uncompensated, single, flat}) {
    CHECK_THROWS_AS(check_cross_entropy_kernel(k, "planted"), std::logic_error);
  }
}

TEST_CASE("speed: the double-double tier is far faster than a loop in cpp_bin_float_50", "[speed]") {
  const ReferenceSpeed s = measure_reference_speed();
  CHECK(s.tier == best_tier());
  CHECK(s.elements_per_second > 20 * s.oracle_loop_elements_per_second);
  CHECK(s.oracle_loop_elements_per_second > 0);
}
