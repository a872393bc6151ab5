// Verdicts of cross_entropy in doubt: bounds that end where only more digits can tell.
#include "reference/cross_entropy_verdict.hpp"
#include "tests/catch.hpp"
#include "tests/reference/cross_entropy_rows.hpp"
#include "tests/reference/cross_entropy_simulated.hpp"

#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;

TEST_CASE(
    "cross_entropy verdict: a bound that ends at the exact value is decided by the oracle, as the exact value says",
    "[cross_entropy]") {
  std::mt19937_64 random(41);
  int asked = 0, within = 0;
  for (int i = 0; i < 12; ++i) {
    for (const OptionRow& row : option_rows(5, random)) {
      const CrossEntropyRow exact = cross_entropy(row.in);
      const CrossEntropyOracleRow digits = cross_entropy_oracle().row(row.in, 1280, Outputs::loss_and_gradient);
      const Certified want = cross_entropy_gradient(row.in, exact, 3);
      if (want.error == 0 || want.value.hi == 0) continue;
      // The distance from 2 g to g is g: as a double it lies within the reference's error of the exact one.
      const double g = want.value.hi, bound = std::fabs(g);
      const Judgement j =
          judge_cross_entropy(2 * g, PLUSMAX_F64, want, {bound, bound}, row.in, {CrossEntropyResult::gradient, 3});
      const double lo = digits.gradient[3].value.lo;
      if (lo == 0) continue;  // a tie to the last digit: no precision decides it
      if (digits.gradient[3].value.hi != g || std::fabs(lo) <= 4 * digits.gradient[3].error) continue;
      CHECK(j.certified);
      asked += j.escalations > 0;
      within += j.passed;
      CHECK(j.passed == (lo * g > 0));  // 2 g - exact = g - lo
    }
  }
  CHECK(asked > 20);
  CHECK(within > 5);
}

TEST_CASE("cross_entropy verdict: the terms of an explained bound add up to it, and none is negative",
          "[cross_entropy]") {
  std::mt19937_64 random(42);
  for (const OptionRow& row : option_rows(40, random)) {
    const CrossEntropyRow exact = cross_entropy(row.in);
    const auto shape =
        SimulatedCrossEntropy<float>{"online", 4, true, plusmax::CapSlope::exponential, {1}}.shape(row.in);
    const CrossEntropyBound bound = cross_entropy_bound(row.in, exact, shape);
    for (const CrossEntropyResult result :
         {CrossEntropyResult::lse, CrossEntropyResult::loss, CrossEntropyResult::gradient}) {
      const CrossEntropyQuestion question{result, 7};
      const double whole = cross_entropy_result_bound(row.in, exact, shape, bound, question, PLUSMAX_BF16).value;
      double sum = 0;
      for (const BoundTerm& term : explain_cross_entropy_bound(row.in, exact, shape, question, PLUSMAX_BF16)) {
        INFO(term.name << ", " << row.text());
        if (std::isfinite(whole)) CHECK(term.value >= -0x1p-20 * whole);
        sum += term.value;
      }
      if (std::isfinite(whole)) CHECK(sum == Approx(whole));
    }
  }
}
