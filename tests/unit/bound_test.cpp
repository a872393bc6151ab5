#include "reference/bound.hpp"

#include "tests/catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

using namespace plusmax::reference;
using plusmax::ErrorShape;

namespace {
ErrorShape shape(double additions = 138, double rescales = 0) {
  return {0x1p-24, additions, rescales, 2.56, 0.89, 1.34, 0x1p-30, 0x1p-126};
}
LogsumexpRow row_of(const std::vector<double>& x) { return logsumexp(std::span<const double>(x)); }
std::vector<double> ramp(std::size_t n, double range) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = range * static_cast<double>(i) / static_cast<double>(n) + 7;
  return x;
}
}  // namespace

TEST_CASE("bound: the explained terms are not negative and add up to the bound", "[bound]") {
  for (const ErrorShape& s :
       {shape(), shape(512, 512), shape(1), ErrorShape{0x1p-53, 138, 20, 2, 0, 2, 0, 0x1p-1022}}) {
    const LogsumexpRow row = row_of(ramp(5000, 30));
    double sum = 0;
    for (const BoundTerm& t : explain_logsumexp_bound(row, s)) {
      CHECK(t.value >= 0);
      CHECK_FALSE(t.name.empty());
      CHECK_FALSE(t.formula.empty());
      sum += t.value;
    }
    CHECK(sum == Approx(logsumexp_bound(row, s).value).margin(0).epsilon(1e-12));
  }
}

TEST_CASE("bound: it is the formula of docs/numerics.md, and at most 1 percent above first order", "[bound]") {
  const LogsumexpRow row = row_of(ramp(5000, 30));
  const ErrorShape s = shape(138, 3);
  const double u = s.unit_roundoff;
  const double rho = u * (1.89 * row.mean_distance + 2.56 + 138 + 3.56 * 3) + 5000 * 4 * 0x1p-126;
  const double first_order = rho + 1.34 * u * row.log_sum.hi + 0x1p-30 + u * row.lse.hi;
  const LogsumexpBound b = logsumexp_bound(row, s);
  CHECK(b.value >= first_order);
  CHECK(b.value <= 1.01 * first_order);
  CHECK(b.sum_relative >= rho);
  CHECK(b.sum_relative <= 1.01 * rho);
}

TEST_CASE("bound: every constant of the shape enlarges it", "[bound]") {
  const LogsumexpRow row = row_of(ramp(5000, 30));
  const double base = logsumexp_bound(row, shape()).value;
  for (double ErrorShape::*member : {&ErrorShape::additions, &ErrorShape::rescales, &ErrorShape::exp_relative,
                                     &ErrorShape::exp_argument, &ErrorShape::log_relative}) {
    ErrorShape s = shape();
    s.*member += 1;
    CHECK(logsumexp_bound(row, s).value > base);
  }
  ErrorShape s = shape();
  s.log_absolute += 1e-6;
  CHECK(logsumexp_bound(row, s).value > base);
  s = shape();
  s.underflow = 1e-12;
  CHECK(logsumexp_bound(row, s).value > base + 5000 * 1e-12);
}

TEST_CASE("bound: it does not grow with the range of a row, only with where its mass lies", "[bound]") {
  std::vector<double> x(4096, 0.0);
  const double near = logsumexp_bound(row_of(x), shape()).value;
  for (std::size_t i = 1; i < x.size(); i += 2) x[i] = -1e4;
  CHECK(logsumexp_bound(row_of(x), shape()).value <= near);
}

TEST_CASE("bound: a sum that may lose everything has an infinite bound", "[bound]") {
  const LogsumexpRow row = row_of(ramp(5000, 30));
  CHECK(logsumexp_bound(row, shape(0x1p24)).value == std::numeric_limits<double>::infinity());
  CHECK(logsumexp_bound(row, shape(0x1p26)).value == std::numeric_limits<double>::infinity());
}

TEST_CASE("bound: the probabilistic form never exceeds it and is sharper for long sums", "[bound]") {
  const LogsumexpRow row = row_of(ramp(100000, 3));
  const LogsumexpBound tree = logsumexp_bound(row, shape(17)), chain = logsumexp_bound(row, shape(100000));
  CHECK(tree.probabilistic <= tree.value);
  CHECK(chain.probabilistic < 0.1 * chain.value);
}

TEST_CASE("bound: a row that is not finite has none", "[bound]") {
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(logsumexp_bound(row_of({-inf, -inf}), shape()).value == 0);
  CHECK(explain_logsumexp_bound(row_of({-inf, inf}), shape()).empty());
}
