// The certified tier of linear_cross_entropy against the oracle: nothing may exceed the error that it claims.
#include "reference/linear_cross_entropy_bound.hpp"
#include "reference/linear_cross_entropy_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/reference/linear_cases.hpp"

#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
struct Tally {
  double largest_ratio = 0;  // distance / claimed
  long numbers = 0, cases = 0;

  void agree(const Certified& got, const Certified& want, const char* what, const LinearCase& c, std::size_t at = 0) {
    const double apart = std::fabs(add(got.value, {-want.value.hi, -want.value.lo}).hi),
                 allowed = got.error + want.error;
    if (!(apart <= allowed)) {
      FAIL(what << " " << at << ": " << got.value.hi << " and " << want.value.hi << ", " << apart << " apart, allowed "
                << got.error << " + " << want.error << "; " << c.text());
    }
    ++numbers;
    if (want.error < got.error) largest_ratio = std::max(largest_ratio, apart / allowed);
  }
};

void check_sums(const InnerProducts& got, const std::vector<Certified>& want, const char* what, const LinearCase& c,
                Tally& tally) {
  REQUIRE(got.elements.size() == want.size());
  for (std::size_t e = 0; e < want.size(); ++e) tally.agree(got.elements[e].sum, want[e], what, c, e);
}

void check_case(const LinearCase& c, const LinearCrossEntropyOracle& oracle, Tally& tally) {
  const LinearCrossEntropy got = linear_cross_entropy(c.in);
  const LinearCrossEntropyOracleAnswer want = oracle.answer(c.in);
  REQUIRE(got.tokens.size() == want.rows.size());
  for (std::size_t i = 0; i < got.tokens.size(); ++i) {
    const LinearToken& t = got.tokens[i];
    const CrossEntropyOracleRow& row = want.rows[i];
    for (std::size_t j = 0; j < c.in.vocab; ++j) {
      if (std::isinf(t.logits[j])) continue;
      Tally of_logits;  // what they claim is what they are off by
      of_logits.agree(linear_logit(t, j), want.logits[i * c.in.vocab + j], "logit", c, j);
      tally.agree({ValueClass::finite, {t.gradient[j], 0}, t.gradient_errors[j]}, row.gradient[j], "dlogits", c, j);
    }
    tally.agree(t.row.lse, row.lse, "lse", c, i);
    tally.agree(t.row.cross_entropy, row.cross_entropy, "cross entropy", c, i);
    if (c.in.options.z_loss != 0) tally.agree(t.row.z_loss, row.z_loss, "z-loss", c, i);
    tally.agree(t.row.loss, row.loss, "loss", c, i);
  }
  check_sums(dx_of(c.in, got), want.dx, "dX", c, tally);
  check_sums(dw_of(c.in, got, {}), want.dw, "dW", c, tally);
  check_sums(dbias_of(c.in, got, {}), want.dbias, "dbias", c, tally);
  ++tally.cases;
}

void check_cases(const LinearCrossEntropyOracle& oracle, int rounds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tally tally;
  for (int round = 0; round < rounds; ++round) {
    for (const LinearData data : kLinearData) {
      for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16}) {
        const bool masks = data == LinearData::masked;
        LinearCase c = linear_case(data, dtype, {1 + random() % 6, 1 + random() % 24, 1 + random() % 12}, random);
        draw_options(c, random);
        if (masks) c.in.options.smoothing = 0;  // a smoothed row with a masked column has an infinite loss
        check_case(c, oracle, tally);
      }
    }
  }
  WARN(tally.cases << " cases, " << tally.numbers << " numbers, largest distance " << tally.largest_ratio
                   << " of the claimed errors");
  CHECK(tally.largest_ratio > 1e-3);  // a comparison that sees no error compares nothing
}
}  // namespace

TEST_CASE("linear agreement: 840 cases are within their own error of the oracle", "[linear]") {
  check_cases(linear_cross_entropy_oracle(), 40, 71);
}

TEST_CASE("linear agreement: 21 cases are within their own error of cpp_bin_float", "[linear]") {
  check_cases(cpp_bin_float_linear_cross_entropy_oracle(), 1, 72);
}

TEST_CASE("linear agreement: 21000 cases are within their own error of the oracle", "[.slow]") {
  check_cases(linear_cross_entropy_oracle(), 1000, 73);
}
