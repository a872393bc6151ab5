// What logits that are off do to the results of cross_entropy: the certified results of moved rows stay within the
// bound of a kernel without roundings, and some reach most of it.
#include "reference/cross_entropy_bound.hpp"
#include "tests/catch.hpp"
#include "tests/reference/cross_entropy_rows.hpp"

#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;
using plusmax::CapSlope;
using plusmax::CrossEntropyShape;

namespace {
struct Worst {
  double lse = 0, cross_entropy = 0, z_loss = 0, gradient = 0, label = 0;
  long results = 0, unjudged = 0;
};

enum class Direction { random, up, with_gradient, against_gradient };

std::vector<double> moved(const OptionRow& row, const CrossEntropyRow& exact, const std::vector<double>& errors,
                          Direction direction, std::mt19937_64& random) {
  std::vector<double> x = row.x;
  for (std::size_t j = 0; j < x.size(); ++j) {
    double sign = random() % 2 == 0 ? 1 : -1;
    if (direction == Direction::random) sign *= static_cast<double>(random() >> 11) * 0x1p-53;
    if (direction == Direction::up) sign = 1;
    if (direction == Direction::with_gradient) sign = exact.gradient_hi[j] > 0 ? 1 : -1;
    if (direction == Direction::against_gradient) sign = exact.gradient_hi[j] > 0 ? -1 : 1;
    const double target = x[j] + sign * errors[j];
    // The sum is rounded: the move that was made must not exceed the error.
    if (std::isfinite(target) && std::fabs(target - row.x[j]) <= errors[j]) x[j] = target;
  }
  return x;
}

void check_row(const OptionRow& row, double relative, double absolute, std::mt19937_64& random, Worst& worst) {
  std::vector<double> errors;
  for (const double x : row.x) errors.push_back(std::isinf(x) ? 0 : relative * std::fabs(x) + absolute);
  CrossEntropyInput in = row.in;
  const CrossEntropyRow exact = cross_entropy(in);
  in.logit_errors = errors;
  CrossEntropyShape none{};
  none.cap_slope = CapSlope::exponential;
  const CrossEntropyBound bound = cross_entropy_bound(in, exact, none);
  for (const Direction direction :
       {Direction::random, Direction::up, Direction::with_gradient, Direction::against_gradient}) {
    const std::vector<double> x = moved(row, exact, errors, direction, random);
    CrossEntropyInput other = row.in;
    other.logits = x;
    const CrossEntropyRow there = cross_entropy(other);
    const auto take = [&](const Certified& a, const Certified& b, const ResultBound& of, double& ratio,
                          std::size_t column) {
      ++worst.results;
      if (!of.judged || !std::isfinite(of.value) || a.value_class != ValueClass::finite) {
        ++worst.unjudged;
        return;
      }
      const double apart = std::fabs(add(a.value, {-b.value.hi, -b.value.lo}).hi), allowed = of.value + b.error;
      if (!(apart <= allowed))
        FAIL("column " << column << ": " << a.value.hi << " moved to " << b.value.hi << ", allowed " << allowed
                       << ", direction " << static_cast<int>(direction) << ", errors " << relative << " |x| + "
                       << absolute << "; " << row.text());
      if (apart > 0) ratio = std::max(ratio, apart / allowed);
    };
    take(exact.lse, there.lse, bound.lse, worst.lse, 0);
    take(exact.cross_entropy, there.cross_entropy, bound.cross_entropy, worst.cross_entropy, 0);
    take(exact.z_loss, there.z_loss, bound.z_loss, worst.z_loss, 0);
    for (std::size_t j = 0; j < row.x.size(); ++j) {
      const bool label = static_cast<std::int64_t>(j) == row.in.target;
      take(cross_entropy_gradient(in, exact, j), cross_entropy_gradient(other, there, j),
           cross_entropy_gradient_bound(in, exact, none, bound, j, PLUSMAX_F64), label ? worst.label : worst.gradient,
           j);
    }
  }
}
}  // namespace

TEST_CASE("cross_entropy moved: logits within their errors move no result beyond its bound", "[cross_entropy]") {
  std::mt19937_64 random(51);
  Worst worst;
  for (int i = 0; i < 60; ++i) {
    for (const OptionRow& row : option_rows(1 + random() % 40, random)) {
      const double size = std::exp2(-static_cast<double>(random() % 30));
      check_row(row, random() % 2 == 0 ? 0x1p-9 : size * 0x1p-6, random() % 2 == 0 ? 0 : size / 4, random, worst);
    }
  }
  WARN(worst.results << " results (" << worst.unjudged << " without a bound): lse " << worst.lse << ", cross entropy "
                     << worst.cross_entropy << ", z-loss " << worst.z_loss << ", gradient " << worst.gradient
                     << ", at the label " << worst.label);
  CHECK(worst.unjudged < worst.results / 2);
  for (const double sharp : {worst.lse, worst.cross_entropy, worst.gradient, worst.label}) CHECK(sharp > 0.5);
}

TEST_CASE("cross_entropy moved: errors of another length are refused", "[cross_entropy]") {
  const std::vector<double> x{1, 2, 3}, errors{0, 0};
  CrossEntropyInput in;
  in.logits = x, in.logit_errors = errors;
  CHECK_THROWS_WITH(cross_entropy(in), ContainsSubstring("2 logit errors for 3 columns"));
}
