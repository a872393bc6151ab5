#include "reference/cross_entropy_bound.hpp"

#include "reference/sum_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double largest_number(const CrossEntropyShape& s) {
  return s.sum.unit_roundoff <= 0x1p-40 ? std::numeric_limits<double>::max() : 0x1.fffffep127;
}

// The factor of `count` roundings beyond the first order: (1 + u)^count - 1 <= count u times this.
double many_roundings(double count, double u) { return count * u < 0.5 ? 1 / (1 - count * u) : kInfinity; }

// The largest product that factors of a coefficient can make on the way, whatever their order.
double amplification(const CrossEntropyInput& in, const CrossEntropyRow& row) {
  double product = 1;
  const auto factor = [&](double f) { product *= std::max(1.0, std::fabs(f)); };
  factor(in.upstream);
  factor(in.options.logit_scale);
  factor(row.sizes.target_weight);
  factor(1 / in.divisors.z.hi);
  if (in.options.smoothing > 0) factor(row.sizes.abs_weight);
  if (in.options.z_loss != 0) factor(in.options.z_loss), factor(2 * row.lse.value.hi);
  return product;
}

// What one row's bounds are put together from, in the words of docs/numerics.md section 3d.
class RowBound {
 public:
  RowBound(const CrossEntropyInput& in, const CrossEntropyRow& row, const CrossEntropyShape& shape)
      : in_(in), row_(row), z_(row.sizes), shape_(shape), s_(shape.sum), u_(shape.sum.unit_roundoff) {
    logits();
    sums();
  }

  CrossEntropyBound all() {
    of_lse();
    of_cross_entropy();
    of_z_loss();
    b_.loss = b_.cross_entropy;
    b_.amplification = amplification(in_, row_);
    if (in_.options.z_loss != 0) {
      b_.loss.value +=
          b_.z_loss.value + u_ * (std::fabs(row_.loss.value.hi) + b_.cross_entropy.value + b_.z_loss.value);
      b_.loss.judged = b_.cross_entropy.judged && b_.z_loss.judged;
      const double ce = row_.cross_entropy.value.hi, z = row_.z_loss.value.hi;
      overflows(b_.loss, std::max(std::fabs(ce), std::fabs(z)), row_.loss.value.hi);
      if (ce * z < 0 && std::fabs(ce) > largest_number(shape_) / 2 && std::fabs(z) > largest_number(shape_) / 2)
        b_.loss.judged = false;
    }
    for (ResultBound* r : {&b_.lse, &b_.cross_entropy, &b_.z_loss, &b_.loss}) {
      r->value *= kBoundInflation;
      r->unrounded = r->value;
      if (in_.options.softcap == 0 && z_.largest_scaled > largest_number(shape_)) r->judged = false;
    }
    return b_;
  }

 private:
  void logits() {
    const bool caps = in_.options.softcap > 0;
    b_.logit_relative = (shape_.logit_roundings + (caps ? shape_.tanh_relative : 0)) * u_;
    b_.logit_absolute = shape_.logit_roundings > 0 ? 2 * s_.underflow * std::max(1.0, in_.options.softcap) : 0;
    moves();
    b_.spread = b_.logit_relative * z_.largest_logit + b_.logit_absolute + largest_move_;
    b_.growth = b_.spread <= 1 ? std::exp(2 * b_.spread) : kInfinity;
  }

  // Means of what the logits are off by before the kernel sees them. A row without a gradient has no p: the largest
  // move stands for each.
  void moves() {
    const std::size_t cols = in_.logit_errors.size();
    const bool has_p = !row_.p.empty();
    for (std::size_t j = 0; j < cols; ++j) {
      if (in_.logits[j] == -kInfinity) continue;
      const double move = logit_move(in_, row_, j) * (1 + b_.logit_relative);
      const double weight = in_.weights.empty() ? 1 : std::fabs(static_cast<double>(in_.weights[j]));
      largest_move_ = std::max(largest_move_, move);
      weighted_move_ += weight * move;
      if (j == z_.left_out) target_move_ = move;
      if (has_p && j != z_.left_out) others_move_ += row_.p[j] * move;
    }
    const double slack = 1 + 0x1p-20;  // of plain sums
    const double of_target = z_.target_term.hi / z_.sum.hi, of_others = z_.sum_without_target.hi / z_.sum.hi;
    if (!has_p) others_move_ = of_others * largest_move_;
    mean_move_ = (others_move_ + of_target * target_move_) * slack;
    nll_move_ = (others_move_ + of_others * target_move_) * slack;
    weighted_move_ *= slack;
  }

  // An absolute bound on a computed sum of exponentials whose exact value is `sum` and whose terms' distances add up to
  // `distance`; `terms` of them may underflow.
  double sum_error(double sum, double distance, double terms, double additions, double rescales) const {
    const double a = s_.exp_relative, b = s_.exp_argument;
    ErrorShape shape = s_;
    shape.additions = additions, shape.rescales = rescales;
    return kBoundInflation * second_order_factor(shape) *
           (b_.growth * u_ * ((1 + b) * (distance + 2 * b_.spread * sum) + (a + additions + (1 + a) * rescales) * sum) +
            terms * (1 + rescales) * s_.underflow);
  }

  void sums() {
    const double cols = static_cast<double>(z_.cols), sum = z_.sum.hi,
                 without = z_.sum_without_target.hi * (1 + 0x1p-50);
    const double d = std::isfinite(z_.target_distance.hi) ? z_.target_term.hi * z_.target_distance.hi : 0;
    const double distance = (z_.distance_without_target + d) * (1 + 0x1p-20);  // two plain sums
    const ErrorShape& s = s_;
    b_.second_order = second_order_factor(s);
    b_.sum_relative = of_quotient((sum_error(sum, distance, cols, s.additions, changes(s.rescales)) + z_.sum_error) / sum);
    b_.without_target = sum_error(without, of_distance_without(without), cols - 1, shape_.excl_additions + of_join(),
                                  changes(shape_.excl_rescales)) +
                        z_.sum_without_target_error;

    const double target = std::isfinite(z_.target_logit) ? std::fabs(z_.target_logit) : 0;
    const double magnitude = z_.magnitude_without_target * (1 + 0x1p-20), tau = b_.logit_relative,
                 tiny = b_.logit_absolute;
    b_.shift = b_.growth * (tau * (magnitude + z_.target_term.hi * target) / sum + tiny + mean_move_);
    b_.nll_shift = b_.growth * ((tau * (without * target + magnitude) + 2 * tiny * without) / sum + nll_move_);
  }

  // Rescales that round: one whose maximum stays multiplies by exp(0) = 1. The maximum rises no more often than there are
  // larger logits among the others, and once to the label. Equal logits need not stay equal where they are off.
  double changes(double rescales) const {
    return in_.logit_errors.empty() && z_.levels < kManyLevels ? std::min(rescales, static_cast<double>(z_.levels)) : rescales;
  }

  // Distances that exponentials of S_x are formed of: from their own maximum, if the step from there is exact. It costs
  // two roundings more than another rescale, of what was too little in its argument, and of the sum with it.
  double of_distance_without(double without) const {
    const double all = z_.distance_without_target * (1 + 0x1p-20);
    if (!shape_.exact_join || !(without > 0)) return all;
    return std::max(0.0, all - without * z_.others_below * (1 - 0x1p-20));
  }
  double of_join() const { return shape_.exact_join ? 2 : 0; }

  // Of a logarithm of S, by log or, where the target is the maximum, by log1p.
  double of_log(double relative) const {
    const double of_function = std::max(s_.log_relative, shape_.log1p_relative);
    const double log_sum = z_.log_sum.hi * (1 + 0x1p-50) + relative + 2 * b_.spread;
    return relative + of_function * u_ * log_sum + s_.log_absolute;
  }

  void of_lse() {
    const double before = of_log(b_.sum_relative) + b_.shift + row_.lse.error;
    const double lse = std::min(std::fabs(row_.lse.value.hi) * (1 + 0x1p-50), std::numeric_limits<double>::max());
    b_.lse.value = before + u_ * (lse + before);
  }

  // Of lse - z_y: log S + (m - z_y), and log1p(S_x) where y is the maximum. A tie, or two logits that the cap's
  // rounding swaps, may take either way; so may a loss with smoothing, which promises no relative accuracy.
  double of_nll() const {
    const double distance = z_.target_distance.hi + 2 * b_.spread, nll = z_.log_sum.hi + distance;
    const double far = of_log(b_.sum_relative) + u_ * (distance + nll);
    if (!z_.target_is_max) return far + b_.nll_shift;
    const double x = z_.sum_without_target.hi, dx = b_.without_target;
    const double near =
        dx / (1 + std::max(0.0, x - dx)) + shape_.log1p_relative * u_ * (z_.log_sum.hi * (1 + 0x1p-50) + dx);
    // Another logit rounds to z_y or beyond only if it lies within 2 sigma, and then S_x >= exp(-2 sigma).
    const bool either = x >= std::min(0.25, 0.99 / b_.growth) || in_.options.smoothing > 0;
    return (either ? std::max(b_.growth * near, far) : b_.growth * near) + b_.nll_shift;
  }

  void of_cross_entropy() {
    // One distance beyond the largest number, and a weight of 0 or of the other sign: NaN, whatever is due.
    if (in_.options.smoothing > 0 && !in_.weights.empty() && 2 * z_.largest_logit > largest_number(shape_))
      b_.cross_entropy.judged = false;
    if (row_.cross_entropy.value_class != ValueClass::finite) return;
    const double eps = in_.options.smoothing, cols = static_cast<double>(z_.cols),
                 log_sum = z_.log_sum.hi * (1 + 0x1p-50);
    const double factor = (1 - eps) * std::fabs(z_.target_weight), nll = log_sum + z_.target_distance.hi;
    double error = factor * of_nll(), size = factor * nll, amplified = std::max(1.0, factor), largest = nll;
    if (eps > 0) {
      const double w = std::fabs(z_.weight_sum.hi), abs_w = z_.abs_weight * (1 + 0x1p-20),
                   smooth = z_.abs_smooth * (1 + 0x1p-20);
      const double additions = shape_.smoothing_additions + 3, log = of_log(b_.sum_relative);
      const double in_sums = w * log + shape_.weight_additions * u_ * abs_w * (log_sum + 2 * b_.spread + log) +
                             u_ * additions * many_roundings(additions, u_) * (smooth + 2 * b_.spread * abs_w);
      const double in_logits =
          w * b_.shift + b_.logit_relative * z_.abs_weighted_logit * (1 + 0x1p-20) + b_.logit_absolute * abs_w +
          weighted_move_;
      error += eps / cols * (in_sums + b_.growth * in_logits);
      size += eps / cols * (abs_w * log_sum + smooth);
      amplified = std::max(amplified, abs_w);
      largest = std::max({largest, smooth, abs_w * log_sum});
    }
    const double k = shape_.loss_roundings;
    b_.cross_entropy.value =
        (error + k * u_ * size) * many_roundings(k, u_) + s_.underflow * (k + 1) * amplified + row_.cross_entropy.error;
    overflows(b_.cross_entropy, largest, row_.cross_entropy.value.hi);
  }

  void of_z_loss() {
    if (row_.z_loss.value_class != ValueClass::finite || in_.options.z_loss == 0) return;
    const double lambda = std::fabs(in_.options.z_loss), lse = std::fabs(row_.lse.value.hi), e = b_.lse.value;
    b_.z_loss.value = lambda * (2 * lse * e + e * e) + 3 * u_ * lambda * (lse + e) * (lse + e) +
                      s_.underflow * (1 + lambda) + row_.z_loss.error;
    overflows(b_.z_loss, lse * lse, row_.z_loss.value.hi);
  }

  // An intermediate beyond the largest number makes an infinity, which is right only if the result lies there too.
  void overflows(ResultBound& r, double intermediate, double exact) const {
    const double top = largest_number(shape_);
    if (intermediate * (1 - 0x1p-20) > top && !(std::fabs(exact) * (1 - 0x1p-20) > top)) r.judged = false;
  }

  const CrossEntropyInput& in_;
  const CrossEntropyRow& row_;
  const CrossEntropySizes& z_;
  const CrossEntropyShape& shape_;
  const ErrorShape& s_;
  double u_;
  // Of z_j: the largest, sum p_j move_j, the same of lse - z_y, and sum |w_j| move_j.
  double largest_move_ = 0, mean_move_ = 0, nll_move_ = 0, weighted_move_ = 0, target_move_ = 0, others_move_ = 0;
  CrossEntropyBound b_;
};
}  // namespace

double logit_move(const CrossEntropyInput& in, const CrossEntropyRow& row, std::size_t j) {
  if (in.logit_errors.empty()) return 0;
  const double move = in.options.logit_scale * in.logit_errors[j];
  if (in.options.softcap == 0 || row.slope.empty()) return move;
  return move * std::min(1.0, row.slope[j] * (1 + 0x1p-50) * std::exp(2 * move / in.options.softcap));
}

CrossEntropyBound cross_entropy_bound(const CrossEntropyInput& in, const CrossEntropyRow& row,
                                      const CrossEntropyShape& shape) {
  if (row.target == TargetClass::ignored || row.lse.value_class != ValueClass::finite) return {};
  if (row.unknown) {
    CrossEntropyBound nothing;
    nothing.lse.judged = nothing.cross_entropy.judged = nothing.z_loss.judged = nothing.loss.judged = false;
    return nothing;
  }
  return RowBound(in, row, shape).all();
}

ResultBound cross_entropy_result_bound(const CrossEntropyInput& in, const CrossEntropyRow& row,
                                       const CrossEntropyShape& shape, const CrossEntropyBound& bound,
                                       CrossEntropyQuestion q, plusmax_dtype output) {
  switch (q.result) {
    case CrossEntropyResult::lse:
      return bound.lse;
    case CrossEntropyResult::cross_entropy:
      return bound.cross_entropy;
    case CrossEntropyResult::z_loss:
      return bound.z_loss;
    case CrossEntropyResult::loss:
      return bound.loss;
    case CrossEntropyResult::gradient:
      return cross_entropy_gradient_bound(in, row, shape, bound, q.column, output);
  }
  throw std::invalid_argument("no such result of cross_entropy");
}

std::vector<BoundTerm> explain_cross_entropy_bound(const CrossEntropyInput& in, const CrossEntropyRow& row,
                                                   const CrossEntropyShape& shape, CrossEntropyQuestion q,
                                                   plusmax_dtype output) {
  struct Cause {
    const char *name, *formula;
    void (*remove)(CrossEntropyShape&);
  };
  static constexpr Cause kCauses[] = {
      {"additions of the exponential sums", "h u, h_x u",
       [](CrossEntropyShape& s) { s.sum.additions = s.excl_additions = 0; }},
      {"rescales", "(1+a) r u, (1+a) r_x u", [](CrossEntropyShape& s) { s.sum.rescales = s.excl_rescales = 0; }},
      {"exponential", "(a + b d) u", [](CrossEntropyShape& s) { s.sum.exp_relative = s.sum.exp_argument = 0; }},
      {"logarithm", "l_r u log S, l_1 u log1p S_x",
       [](CrossEntropyShape& s) { s.sum.log_relative = s.sum.log_absolute = s.log1p_relative = 0; }},
      {"logits", "tau_z |z|", [](CrossEntropyShape& s) { s.logit_roundings = s.tanh_relative = 0; }},
      {"sum of the smoothing", "h_A u A", [](CrossEntropyShape& s) { s.smoothing_additions = 0; }},
      {"sum of the weights", "h_W u W", [](CrossEntropyShape& s) { s.weight_additions = 0; }},
      {"steps of the loss", "k_l u", [](CrossEntropyShape& s) { s.loss_roundings = 0; }},
      {"steps of the gradient", "k_g u", [](CrossEntropyShape& s) { s.gradient_roundings = 0; }},
      {"underflow", "tau", [](CrossEntropyShape& s) { s.sum.underflow = 0; }},
  };
  const auto value = [&](const CrossEntropyShape& s) {
    return cross_entropy_result_bound(in, row, s, cross_entropy_bound(in, row, s), q, output).value;
  };
  std::vector<BoundTerm> terms;
  CrossEntropyShape without = shape;
  double rest = value(without);
  for (const Cause& cause : kCauses) {
    cause.remove(without);
    const double less = value(without);
    terms.push_back({cause.name, cause.formula, rest - less});
    rest = less;
  }
  terms.push_back({"differences, last operations, output", "u d, u |result|, ulp/2", rest});
  return terms;
}

}  // namespace plusmax::reference
