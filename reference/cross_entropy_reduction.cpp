#include "reference/cross_entropy_reduction.hpp"

#include "reference/sum_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace plusmax::reference {

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One part of the rows' losses, summed: value, error, bound, and the sum of sizes.
struct PartSum {
  Certified value;
  double bound = 0, size = 0, infinite = 0;
  bool judged = true, above = false, below = false;  // a part that the kernel may have as an infinity of either sign

  void take(const Certified& part, const ResultBound& of, double top) {
    judged = judged && of.judged;
    switch (part.value_class) {
      case ValueClass::finite:
        break;
      case ValueClass::nan:
        infinite += kNan;
        return;
      case ValueClass::positive_infinity:
        infinite += std::numeric_limits<double>::infinity();
        return;
      case ValueClass::negative_infinity:
        infinite -= std::numeric_limits<double>::infinity();
        return;
    }
    const bool leaves = (std::fabs(part.value.hi) + of.value) * (1 + 0x1p-20) > top;
    above = above || (leaves && part.value.hi > 0), below = below || (leaves && part.value.hi < 0);
    value.value = add(value.value, part.value);
    value.error += part.error + 0x1p-103 * std::fabs(value.value.hi);
    bound += of.value;
    size += std::fabs(part.value.hi) + of.value;
  }

  // The sum's own additions, then a division by a divisor of relative doubt `doubt`: three roundings of u more.
  void divide_by(DoubleDouble divisor, double doubt, const CrossEntropyShape& s) {
    const double u = s.sum.unit_roundoff, in_sum = s.reduction_additions * s.reduction_roundoff;
    const double before = bound + in_sum * (in_sum < 0.5 ? 1 / (1 - in_sum) : kNan) * size;
    const double z = std::fabs(divisor.hi);
    bound =
        (before + (3 * u + doubt) * (1 + 3 * u + doubt) * (size + before)) / z + s.sum.underflow * std::max(1.0, 1 / z);
    value.value = divide(value.value, divisor);
    value.error = value.error / z + (0x1p-100 + doubt * 0x1p-50) * std::fabs(value.value.hi);
    infinite = infinite == 0 ? 0 : infinite / divisor.hi;
  }
};
}  // namespace

Divisors divisors_of(Reduction reduction, std::span<const std::int64_t> targets, std::int64_t ignore_index,
                     std::span<const float> weights, std::size_t cols) {
  Divisors d;
  if (reduction != Reduction::mean) return d;
  d.z = {};
  d.num_valid = 0;
  double size = 0;
  for (const std::int64_t y : targets) {
    if (y == ignore_index) continue;
    ++d.num_valid;
    if (y < 0 || static_cast<std::uint64_t>(y) >= cols) continue;
    const double w = weights.empty() ? 1 : static_cast<double>(weights[static_cast<std::size_t>(y)]);
    d.z = add(d.z, {w, 0});
    size += std::fabs(w);
  }
  d.no_gradient = d.z.hi == 0;
  // Counts are exact; weights of one size add up exactly for long, but not for ever.
  if (!d.no_gradient && !weights.empty()) d.z_doubt = 0x1p-53 * d.num_valid * size / std::fabs(d.z.hi);
  return d;
}

Divisors divisors_of(Reduction reduction, double z, double num_valid) {
  Divisors d;
  if (reduction != Reduction::mean) return d;
  d.z = {z, 0};
  d.num_valid = num_valid;
  d.no_gradient = z == 0 || num_valid == 0;
  return d;
}

ReducedLoss reduce(Reduction reduction, std::span<const ReducedRow> rows, const Divisors& d, bool bad_targets,
                   EmptyMean empty, const CrossEntropyShape& shape) {
  if (reduction == Reduction::none) throw std::invalid_argument("reduce: reduction none has no reduced loss");
  ReducedLoss r;
  if (bad_targets) {
    r.loss.value_class = ValueClass::nan;
    return r;
  }
  if (reduction == Reduction::mean && d.no_gradient) {
    r.loss.value_class = empty == EmptyMean::nan ? ValueClass::nan : ValueClass::finite;
    return r;
  }
  PartSum ce, z;
  const double top = shape.sum.unit_roundoff <= 0x1p-40 ? std::numeric_limits<double>::max() : 0x1.fffffep127;
  for (const ReducedRow& row : rows) {
    ce.take(row.cross_entropy, row.cross_entropy_bound, top);
    z.take(row.z_loss, row.z_loss_bound, top);
  }
  ce.divide_by(d.z, d.z_doubt, shape);
  z.divide_by({d.num_valid, 0}, 0, shape);
  r.bound.judged = ce.judged && z.judged;
  r.loss.value_class = classify(ce.infinite + z.infinite);
  if (r.loss.value_class != ValueClass::finite) return r;
  r.loss.value = add(ce.value.value, z.value.value);
  r.loss.error = ce.value.error + z.value.error + 0x1p-103 * std::fabs(r.loss.value.hi);
  // An infinite part is right only if the result lies beyond the largest number, too; two of both signs never are.
  const bool above = ce.above || z.above, below = ce.below || z.below;
  if ((above && below) || ((above || below) && !(std::fabs(r.loss.value.hi) * (1 - 0x1p-20) > top))) r.bound.judged = false;
  const double parts = ce.bound + z.bound;
  r.bound.value =
      kBoundInflation * (parts + shape.sum.unit_roundoff * (std::fabs(r.loss.value.hi) + parts)) + r.loss.error;
  r.bound.unrounded = r.bound.value;
  return r;
}

}  // namespace plusmax::reference
