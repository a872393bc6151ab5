// The double-double tier against the oracle at 100 digits: nothing may exceed what docs/numerics.md section 4 proves.
#include "reference/logsumexp.hpp"
#include "reference/oracle.hpp"
#include "tests/catch.hpp"
#include "tests/reference/rows.hpp"

#include <algorithm>
#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
constexpr unsigned kBits = 333;  // 100 digits

double distance(DoubleDouble a, DoubleDouble b) { return std::fabs(add(a, {-b.hi, -b.lo}).hi); }

void check_exponentials(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double scale = std::ldexp(static_cast<double>(random() >> 11), -53);
    DoubleDouble x{-687 * scale, 0};
    if (i % 4 == 1) x.hi = -120 * scale;
    if (i % 4 == 2) x.hi = -std::ldexp(scale, -static_cast<int>(random() % 40));
    if (i % 4 == 3) x.hi = -(std::floor(100000 * scale) + 0.5) * 0x1.62e42fefa39efp-10;  // between two steps of the table
    if (i % 3 != 0) x.lo = x.hi * std::ldexp(scale - 0.5, -53);
    const double error = oracle().exp_relative_error(x, exp(x), kBits);
    worst = std::max(worst, error);
    if (!(error <= kExpRelativeError)) FAIL("exp(" << x.hi << " + " << x.lo << ") is off by 2^" << std::log2(error));
  }
  CAPTURE(std::log2(worst));
  CHECK(worst > 0x1p-90);  // a comparison that sees no error at all compares nothing
}

void check_row(const NamedRow& row) {
  INFO(row.name << ", " << row.x.size() << " columns");
  const LogsumexpRow got = logsumexp(std::span<const double>(row.x));
  const OracleRow want = oracle().row(row.x, kBits);
  const double dropped = static_cast<double>(row.x.size()) * 0x1p-1021;
  const double sum_limit = sum_relative_error(row.x.size()) * want.sum_without_max.hi + dropped;
  CHECK(distance(got.sum_without_max, want.sum_without_max) <= sum_limit);
  CHECK(distance(got.lse, want.lse) <= got.error + want.error);
  CHECK(std::fabs(got.mean_distance - want.mean_distance) <= mean_distance_error(got) + 0x1p-52 * want.mean_distance);
  if (want.log_sum.hi > 0x1p-1000) CHECK(distance(got.log_sum, want.log_sum) <= 0x1p-62 * want.log_sum.hi);
  CHECK(got.error <= 0x1p-78 + 0x1p-100 * std::fabs(got.lse.hi));
}

void check_rows(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int done = 0; done < count;) {
    const std::size_t cols = 1 + random() % (done % 10 == 0 ? 5000 : 300);
    for (const NamedRow& row : finite_rows(cols, random())) {
      if (done++ == count) return;
      check_row(row);
    }
  }
}
}  // namespace

TEST_CASE("agreement: 20000 exponentials are within 2^-82 of the oracle", "[agreement]") { check_exponentials(20000, 1); }
TEST_CASE("agreement: 1000000 exponentials are within 2^-82 of the oracle", "[.slow]") { check_exponentials(1000000, 2); }
TEST_CASE("agreement: 100 rows are within their own error of the oracle", "[agreement]") { check_rows(100, 1); }
TEST_CASE("agreement: 1000 rows are within their own error of the oracle", "[.slow]") { check_rows(1000, 2); }

TEST_CASE("agreement: f64 rows over the whole range of double are within their own error", "[agreement]") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> rows[] = {
      {1.79e308, -1.79e308}, {-1.79e308, -1.79e308}, {1.79e308, 1.79e308, 1.79e308}, {0, -745, -746, -inf},
      {-687.5, 0, -707.9, -708, -708.1}, {0x1p-1074, 0, -0x1p-1074}, {1e300, 1e300 - 1e284}, {1e17, 1e17 + 16, 1e17 - 16},
      {3, 3 + 0x1p-51, 3 - 0x1p-51, 1e-300}, {-1e-16, 1e-16}, {0, -300}, {-40, 0, -50},
  };
  for (const auto& x : rows) {
    const LogsumexpRow got = logsumexp(std::span<const double>(x));
    const OracleRow want = oracle().row(x, 640);
    INFO(x[0] << ", " << x[1]);
    CHECK(distance(got.lse, want.lse) <= got.error + want.error);
  }
}

TEST_CASE("agreement: log1p keeps its relative accuracy down to the smallest sums", "[agreement]") {
  for (int e = -1000; e < 62; ++e) {
    for (const double f : {1.0, 1.3, 1.9999}) {
      const DoubleDouble s{std::ldexp(f, e), std::ldexp(f, e - 60)}, l = log1p(s);
      // exp(log1p(s)) - 1 = s; below 1 compare through the series' leading terms, above through exp.
      if (s.hi < 0x1p-30) {
        const DoubleDouble leading = add(s, {-0.5 * s.hi * s.hi, 0});
        CHECK(distance(l, leading) <= (0x1p-60 + s.hi * s.hi) * s.hi);
      } else {
        const double error = oracle().exp_relative_error(l, add({1, 0}, s), 333);
        CHECK(error <= kLogAbsoluteError + 0x1p-100);
      }
    }
  }
}

TEST_CASE("agreement: 16777216 equal columns give m + 24 log 2 within their own error", "[.slow]") {
  constexpr DoubleDouble kLog2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  const std::vector<float> row(std::size_t{1} << 24, -3.25f);
  const LogsumexpRow r = logsumexp(std::span<const float>(row));
  CHECK(distance(r.lse, add({-3.25, 0}, multiply({24, 0}, kLog2))) <= r.error + 0x1p-100);
  CHECK(r.error < 0x1p-60);
}
