// Catches a gradient that is not the derivative of the loss: a forgotten slope, scale, divisor or term.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::CrossEntropyInput;
using reference::DoubleDouble;

// What the cross entropy is in one logit: a lse - b z + constant, before divisors.
struct Parts {
  double a, b;  // sizes
};
Parts parts_of(const CrossEntropyInput& in, const reference::CrossEntropyRow& row, std::size_t j) {
  const auto weight = [&](std::size_t c) {
    return in.weights.empty() ? 1 : std::fabs(static_cast<double>(in.weights[c]));
  };
  const double eps = in.options.smoothing, cols = static_cast<double>(in.logits.size());
  const double of_target = (1 - eps) * weight(static_cast<std::size_t>(in.target));
  return {of_target + (eps > 0 ? eps / cols * row.sizes.abs_weight : 0),
          (static_cast<std::int64_t>(j) == in.target ? of_target : 0) + eps / cols * weight(j)};
}

// |third derivative| of the row's part of the loss to x_j, anywhere within h: dlse/dz = p, then p (1 - p) and
// p (1 - p) (1 - 2 p); with t = tanh, t' = 1 - t^2, |t''| <= 2 t' and |t'''| <= 4 t'.
double third_derivative(const CrossEntropyInput& in, const reference::CrossEntropyRow& row, std::size_t j, double h) {
  const double s = in.options.logit_scale, c = in.options.softcap, lambda = in.options.z_loss;
  const double per_cap = c > 0 ? s / c : 0, steep = row.slope[j] * (1 + 4 * per_cap * h);
  const double p = row.p[j] * (1 + 4 * s * h);  // exp(2 s h) at most, as for the slope
  const double q = std::min(p, 0.25), lse = std::fabs(row.lse.value.hi) + s * h;
  const double z1 = s * steep, z2 = 2 * per_cap * z1, z3 = 4 * per_cap * per_cap * z1;
  const auto chained = [&](double first, double second, double third) {
    return third * z1 * z1 * z1 + 3 * second * z1 * z2 + first * z3;
  };
  const Parts k = parts_of(in, row, j);
  const double ce = chained(k.a * p + k.b, k.a * q, k.a * q);
  const double z_loss = 2 * lambda * chained(lse * p, p * p + lse * q, 3 * p * q + lse * q);
  return std::fabs(in.upstream) * (ce / std::fabs(in.divisors.z.hi) + z_loss / std::fabs(in.divisors.num_valid));
}

struct Slope {
  double value = 0, error = 0;
  bool known = false;
};

// (L(x_j + h) - L(x_j - h)) / 2h of the certified loss.
Slope central_difference(CrossEntropyInput in, const reference::CrossEntropyRow& row, std::size_t j) {
  const double h = std::ldexp(1, -22 - std::ilogb(in.options.logit_scale)), x = in.logits[j];
  if (!std::isfinite(x) || reference::two_sum(x, h).lo != 0 || reference::two_sum(x, -h).lo != 0) return {};
  std::vector<double> moved(in.logits.begin(), in.logits.end());
  in.logits = moved;
  DoubleDouble ce, z_loss;
  Slope slope{0, h * h / 6 * third_derivative(in, row, j, h), true};
  for (const double sign : {1.0, -1.0}) {
    moved[j] = x + sign * h;
    const auto at = reference::cross_entropy(in, reference::Outputs::loss);
    if (at.loss.value_class != reference::ValueClass::finite) return {};
    ce = reference::add(ce, {sign * at.cross_entropy.value.hi, sign * at.cross_entropy.value.lo});
    z_loss = reference::add(z_loss, {sign * at.z_loss.value.hi, sign * at.z_loss.value.lo});
    slope.error +=
        std::fabs(in.upstream) / (2 * h) *
        ((at.cross_entropy.error + 0x1p-100 * std::fabs(at.cross_entropy.value.hi)) / std::fabs(in.divisors.z.hi) +
         (at.z_loss.error + 0x1p-100 * std::fabs(at.z_loss.value.hi)) / std::fabs(in.divisors.num_valid));
  }
  slope.value = in.upstream / (2 * h) * (ce.hi / in.divisors.z.hi + z_loss.hi / in.divisors.num_valid);
  // The two quotients are doubles, which may cancel.
  slope.error += 0x1p-50 * std::fabs(in.upstream / (2 * h)) *
                 (std::fabs(ce.hi / in.divisors.z.hi) + std::fabs(z_loss.hi / in.divisors.num_valid));
  return slope;
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto at = launched(subject, lifted(relation_call(of)), tally);
  const Random random = random_of(of, "central_differences");
  std::vector<double> scratch;
  for (std::int64_t r = 0; at && r < at->rows(); ++r) {
    if (!at->differentiable(r)) continue;
    const auto& exact = at->exact_row(r);
    std::set<std::int64_t> columns{at->call().target(r), exact.argmax, 0, of.cols - 1};
    for (std::uint64_t k = 0; k < 2; ++k)
      columns.insert(static_cast<std::int64_t>(random.bits(k, static_cast<std::uint64_t>(r)) %
                                               static_cast<std::uint64_t>(of.cols)));
    for (const std::int64_t j : columns) {
      const Slope slope = central_difference(at->exact().input(r, scratch), exact, static_cast<std::size_t>(j));
      const Number element = at->gradient(r, j);
      // Where the loss moves by less than its own error, its differences say nothing; nor do they of a number that the
      // gradient's type holds too coarsely to be told from a wrong one.
      if (!slope.known || !element.promised || slope.error > std::fabs(element.want) + element.slack) continue;
      if (!telling(element.slack + slope.error, slope.value)) continue;
      tally.within("gradient of column " + std::to_string(j), r, element.got, slope.value, element.slack + slope.error,
                   of.cols);
    }
  }
  tally.part_skipped("no logit of a finite row that can be moved a little");
  tally.finish();
}

}  // namespace
extern const Check central_differences;
const Check central_differences = {"central_differences",
                                   "each gradient is the slope of the certified loss, as central differences show it",
                                   true, relation_refusal, run};
}  // namespace plusmax::properties::cross_entropy
