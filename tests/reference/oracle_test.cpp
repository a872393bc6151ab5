#include "reference/oracle.hpp"
#include "tests/catch.hpp"
#include "tests/reference/rows.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
std::vector<const OracleBackend*> backends() {
  std::vector<const OracleBackend*> all{&cpp_bin_float_oracle()};
  if (mpfr_oracle() != nullptr) all.push_back(mpfr_oracle());
  return all;
}
double distance(DoubleDouble a, DoubleDouble b) { return std::fabs(add(a, {-b.hi, -b.lo}).hi); }
}  // namespace

TEST_CASE("oracle: every backend gives the same rows at every precision", "[oracle]") {
  for (const NamedRow& row : finite_rows(60, 5)) {
    const OracleRow want = cpp_bin_float_oracle().row(row.x, 640);
    for (const OracleBackend* backend : backends()) {
      for (const unsigned bits : {53u, 160u, 161u, 640u}) {
        INFO(backend->name << ", " << bits << " bits, " << row.name);
        const OracleRow got = backend->row(row.x, bits);
        CHECK(distance(got.lse, want.lse) <= got.error + want.error);
        CHECK(distance(got.sum_without_max, want.sum_without_max) <= 0x1p-103 * want.sum_without_max.hi + 0x1p-300);
        CHECK(got.error <= 0x1p-104 * (1 + std::fabs(want.lse.hi)));
      }
    }
  }
}

TEST_CASE("oracle: every precision of the ladder works in every backend, and none beyond it", "[oracle]") {
  const std::vector<double> row{0.5, 0.25, -3};
  const OracleRow want = oracle().row(row, kFirstOracleBits);
  for (const OracleBackend* backend : backends()) {
    for (unsigned bits = kFirstOracleBits; bits <= kLastOracleBits; bits *= 2) {
      INFO(backend->name << ", " << bits << " bits");
      CHECK(distance(backend->row(row, bits).lse, want.lse) <= 0x1p-103);
    }
    CHECK_THROWS_AS(backend->row(row, kLastOracleBits + 1), std::invalid_argument);
  }
}

TEST_CASE("oracle: a comparison is undecided exactly while the precision is too low", "[oracle]") {
  const std::vector<double> row{0.5, 0.25, -3};
  const OracleRow exact = oracle().row(row, 640);
  // got - lse is known to 2^-106: a bound that differs from it by 2^-100 is out of reach of no rung.
  const double got = exact.lse.hi;
  const double d = std::fabs(exact.lse.lo);
  for (const OracleBackend* backend : backends()) {
    INFO(backend->name);
    CHECK(backend->compare(row, 160, got, d * (1 + 0x1p-40)) == Decision::within);
    CHECK(backend->compare(row, 160, got, d * (1 - 0x1p-40)) == Decision::beyond);
    CHECK(backend->compare(row, 160, got, 1) == Decision::within);
    CHECK(backend->compare(row, 160, got + 2, 1) == Decision::beyond);
  }
  const std::vector<double> one{0.5};  // exact: equality is within
  CHECK(oracle().compare(one, 160, 0.75, 0.25) == Decision::within);
  CHECK(oracle().compare(one, 160, 0.75, 0.2499999) == Decision::beyond);
  // |got - lse| = bound to more than 160 bits: log 2 to double-double, with the bound its own low part.
  const std::vector<double> pair{0, 0};
  const OracleRow log2 = oracle().row(pair, 640);
  CHECK(oracle().compare(pair, 160, log2.lse.hi, std::fabs(log2.lse.lo)) != Decision::undecided);
}

TEST_CASE("oracle: equality to the last bit of a precision stays undecided there and is decided at the next", "[oracle]") {
  // lse = log(1 + e^-80 + ..) is about 1.8e-35; at 160 bits its error is 2^-150 or so, and a bound that close is undecided.
  const std::vector<double> row{0, -80};
  const OracleRow exact = oracle().row(row, 640);
  CHECK(oracle().compare(row, 160, 0, exact.lse.hi) == Decision::undecided);
  CHECK(oracle().compare(row, 640, 0, exact.lse.hi) == (exact.lse.lo <= 0 ? Decision::within : Decision::beyond));
}

TEST_CASE("oracle: it computes finite rows and names the class of the others", "[oracle]") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> none{-inf, -inf}, infinite{0, inf}, nan{std::nan(""), inf};
  CHECK_THROWS_AS(oracle().row(none, 160), std::invalid_argument);
  CHECK(logsumexp_oracle(none, 160).lse.hi == -inf);
  CHECK(logsumexp_oracle(infinite, 160).lse.hi == inf);
  CHECK(std::isnan(logsumexp_oracle(nan, 160).lse.hi));
  CHECK(logsumexp_oracle(std::vector<double>{1, 2}, 160).lse.hi == 2.313261687518223);
  CHECK(std::string(oracle_backend()) == (mpfr_oracle() != nullptr ? "mpfr" : "cpp_bin_float"));
}
