// The certified gradient against the certified loss: central differences of the double-double loss, in exact steps.
#include "reference/cross_entropy_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/reference/cross_entropy_rows.hpp"

#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
// What the gradient is the derivative of: u (cross entropy / Z + z-loss / num_valid), as hi + lo.
DoubleDouble objective(const CrossEntropyInput& in, const CrossEntropyOracleRow& row) {
  const DoubleDouble sum =
      add(divide(row.cross_entropy.value, in.divisors.z), divide(row.z_loss.value, {in.divisors.num_valid, 0}));
  return multiply(sum, {in.upstream, 0});
}
}  // namespace

// A central difference with step h is off by h^2 / 6 times the third derivative, which `scale` bounds up to a small
// factor.
TEST_CASE("cross_entropy gradient: it is the derivative of the loss, element by element, on 600 rows",
          "[cross_entropy]") {
  constexpr double kStep = 0x1p-26;
  std::mt19937_64 random(31);
  double worst = 0;
  long elements = 0;
  int rows = 0;
  while (rows < 600) {
    for (OptionRow& row : option_rows(2 + random() % 6, random)) {
      if (row.name == "tiny numbers" || row.name == "largest and smallest f32")
        continue;  // no step is exact beside them
      if (std::any_of(row.x.begin(), row.x.end(), [](double x) { return std::isinf(x); })) continue;
      for (double& x : row.x) x = std::clamp(std::round(x * 0x1p10) * 0x1p-10, -1e3, 1e3);
      row.tie();
      const CrossEntropyRow exact = cross_entropy(row.in);
      const double s = row.in.options.logit_scale, z = std::fabs(row.in.divisors.z.hi);
      double weights = exact.sizes.abs_weight + std::fabs(exact.sizes.target_weight) + 1;
      const double scale =
          std::fabs(row.in.upstream) * s * (1 + s) * (1 + s) *
          (weights / std::min(1.0, z) + row.in.options.z_loss * (2 * std::fabs(exact.lse.value.hi) + 4));
      for (std::size_t j = 0; j < row.x.size(); ++j) {
        const double x = row.x[j];
        row.x[j] = x + kStep;
        const DoubleDouble up = objective(row.in, cross_entropy_oracle().row(row.in, 160, Outputs::loss));
        row.x[j] = x - kStep;
        const DoubleDouble down = objective(row.in, cross_entropy_oracle().row(row.in, 160, Outputs::loss));
        row.x[j] = x;
        const double difference = add(up, {-down.hi, -down.lo}).hi / (2 * kStep);
        const double error = std::fabs(difference - cross_entropy_gradient(row.in, exact, j).value.hi) / scale;
        worst = std::max(worst, error);
        ++elements;
        if (!(error <= kStep * kStep))
          FAIL("column " << j << ": difference " << difference << ", gradient " << exact.gradient_hi[j] << "; "
                         << row.text());
      }
      ++rows;
    }
  }
  WARN(rows << " rows, " << elements << " elements, worst " << worst / (kStep * kStep) << " h^2 of the scale");
  CHECK(worst > 0x1p-80);
}

TEST_CASE("cross_entropy gradient: at the label it keeps its relative accuracy down to 1 - p = e^-600",
          "[cross_entropy]") {
  for (const double peak : {10.0, 40.0, 100.0, 300.0, 600.0}) {
    const std::vector<double> x{0, peak, 1, -2};
    CrossEntropyInput in;
    in.logits = x;
    in.target = 1;
    const CrossEntropyRow row = cross_entropy(in);
    const CrossEntropyOracleRow want = cross_entropy_oracle().row(in, 2560, Outputs::loss_and_gradient);
    INFO("peak " << peak);
    CHECK(row.gradient_hi[1] == want.gradient[1].value.hi);
    CHECK(row.loss.value.hi == want.loss.value.hi);
    CHECK(row.loss.error <= 0x1p-60 * row.loss.value.hi);
    CHECK(cross_entropy_gradient(in, row, 1).error <= 0x1p-75 * std::fabs(row.gradient_hi[1]));
  }
}
