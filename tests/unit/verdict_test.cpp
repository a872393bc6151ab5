#include "reference/verdict.hpp"

#include "reference/dtype.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace plusmax::reference;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Fixture {
  std::vector<double> row;
  LogsumexpRow exact;
  LogsumexpBound bound;

  explicit Fixture(std::vector<double> x, double limit = 1e-6)
      : row(std::move(x)), exact(logsumexp(std::span<const double>(row))), bound{limit, limit, limit / 2} {}
  Judgement judge(double got, plusmax_dtype dtype = PLUSMAX_F32) const {
    return judge_logsumexp(got, dtype, exact, bound, row);
  }
};
}  // namespace

TEST_CASE("verdict: within the bound passes, beyond it fails, with error, ratio and ulps", "[verdict]") {
  const Fixture f({1, 2});
  const Judgement good = f.judge(f.exact.lse.hi + 0.5e-6);
  CHECK(good.passed);
  CHECK(good.ratio == Approx(0.5));
  CHECK(good.probabilistic_ratio == Approx(1));
  CHECK(good.ulps == Approx(0.5e-6 / 0x1p-22));
  const Judgement bad = f.judge(f.exact.lse.hi - 1.5e-6);
  CHECK_FALSE(bad.passed);
  CHECK(bad.certified);
  CHECK_FALSE(bad.class_mismatch);
  CHECK(bad.ratio == Approx(1.5));
  CHECK(bad.ulps < 0);
}

TEST_CASE("verdict: the class must match, and a mismatch is infinite", "[verdict]") {
  const double values[] = {kNan, kInfinity, -kInfinity, 2.5};
  const Fixture rows[] = {Fixture({0, kNan}), Fixture({0, kInfinity}), Fixture({-kInfinity, -kInfinity}),
                          Fixture({2.5})};
  for (int want = 0; want < 4; ++want) {
    for (int got = 0; got < 4; ++got) {
      const Judgement j = rows[want].judge(values[got]);
      INFO("got " << values[got] << " for " << values[want]);
      CHECK(j.passed == (want == got));
      CHECK(j.class_mismatch == (want != got));
      CHECK(j.ratio == (want == got ? 0 : kInfinity));
      CHECK(j.error == (want == got ? 0 : kInfinity));
    }
  }
}

TEST_CASE("verdict: NaN never passes for a finite row, whatever the bound", "[verdict]") {
  CHECK_FALSE(Fixture({1, 2}, kInfinity).judge(kNan).passed);
  CHECK_FALSE(Fixture({1, 2}, kNan).judge(2.3).passed);
}

TEST_CASE("verdict: one column is judged without doubt, the bound itself included", "[verdict]") {
  const Fixture f({2.5}, 0x1p-20);
  CHECK(f.judge(2.5 + 0x1p-20).passed);
  CHECK_FALSE(f.judge(std::nextafter(2.5 + 0x1p-20, 3)).passed);
  CHECK(f.judge(2.5).ratio == 0);
  CHECK(f.judge(2.5 + 0x1p-20).escalations == 0);
  const Fixture zero({2.5}, 0);
  CHECK(zero.judge(2.5).passed);
  CHECK(zero.judge(2.5).ratio == 0);
  CHECK(zero.judge(2.6).ratio == kInfinity);
}

TEST_CASE("verdict: a comparison inside the reference's own error goes to the oracle and is decided there",
          "[verdict]") {
  Fixture f({0.1, 0.7, -3});
  // |got - lse| to full double precision: the distance itself becomes the bound, so only the oracle can tell.
  const double got = f.exact.lse.hi + 0x1p-30;
  const double distance = absolute_error(got, f.exact.lse);
  f.bound.value = distance;  // rounded up: just above the exact distance
  const Judgement within = f.judge(got, PLUSMAX_F64);
  CHECK(within.escalations >= 1);
  CHECK(within.certified);
  CHECK(within.passed);
  f.bound.value = std::nextafter(std::nextafter(std::nextafter(distance, 0), 0), 0);
  const Judgement beyond = f.judge(got, PLUSMAX_F64);
  CHECK(beyond.escalations >= 1);
  CHECK(beyond.certified);
  CHECK_FALSE(beyond.passed);
}

TEST_CASE("verdict: the oracle refuses another row's logits", "[verdict]") {
  Fixture f({0.1, 0.7, -3});
  const double got = f.exact.lse.hi + 0x1p-30;
  f.bound.value = absolute_error(got, f.exact.lse);
  f.row.pop_back();
  CHECK_THROWS_AS(f.judge(got), std::invalid_argument);
}

TEST_CASE("verdict: infinity is accepted only where exact + bound rounds to infinity", "[verdict]") {
  const double top = largest(PLUSMAX_F32), half_ulp = 0x1p103;
  CHECK(Fixture({top}, half_ulp).judge(kInfinity).passed);
  CHECK(Fixture({top}, half_ulp).judge(kInfinity).ratio == 1);
  CHECK(Fixture({top}, half_ulp).judge(kInfinity).ulps == 1);
  CHECK_FALSE(Fixture({top}, half_ulp * 0.999).judge(kInfinity).passed);
  CHECK_FALSE(Fixture({top}, half_ulp).judge(-kInfinity).passed);
  CHECK_FALSE(Fixture({top}, kInfinity).judge(kInfinity).passed);
  const double top64 = largest(PLUSMAX_F64);
  CHECK(Fixture({top64}, 0x1p970).judge(kInfinity, PLUSMAX_F64).passed);
  CHECK_FALSE(Fixture({top64}, 0x1p969).judge(kInfinity, PLUSMAX_F64).passed);
}
