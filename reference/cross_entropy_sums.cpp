#include "reference/cross_entropy_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void fill_columns(Work& w) {
  const std::size_t cols = w.in.logits.size(), padded = w.columns.blocks() * kChains;
  std::copy(w.in.logits.begin(), w.in.logits.end(), w.at(kX));
  std::fill(w.at(kX) + cols, w.at(kX) + padded, -kInfinity);
  if (w.smooths) {
    for (std::size_t j = 0; j < cols; ++j)
      w.at(kWeights)[j] = w.in.weights.empty() ? 1 : static_cast<double>(w.in.weights[j]);
  }
  w.kernel.logits(w.at(kX), w.columns.blocks(), w.in.options.logit_scale, w.in.options.softcap, exp_tables(),
                  {w.at(kZHi), w.at(kZLo)}, {w.at(kSlopeHi), w.at(kSlopeLo)});
}

double plain_sum(const double (&chain)[kChains]) {
  double sum = 0;
  for (const double c : chain) sum += c;
  return sum;
}
DoubleDouble pair_sum(const double (&hi)[kChains], const double (&lo)[kChains]) {
  DoubleDouble sum;
  for (std::size_t c = 0; c < kChains; ++c) sum = add(sum, two_sum(hi[c], lo[c]));
  return sum;
}

// Distinct logits besides the one left out and -inf, counted up to kManyLevels.
std::size_t levels_of(std::span<const double> logits, std::size_t left_out) {
  std::vector<double> seen;
  for (std::size_t j = 0; j < logits.size() && seen.size() < kManyLevels; ++j)
    if (j != left_out && logits[j] != -kInfinity && std::find(seen.begin(), seen.end(), logits[j]) == seen.end())
      seen.push_back(logits[j]);
  return seen.size();
}

// The sums over the row, and what one column that was left out of them adds back.
void sum_columns(Work& w, std::size_t left_out) {
  CrossEntropySizes& s = w.row.sizes;
  const std::size_t top = static_cast<std::size_t>(w.row.argmax);
  s.cols = w.in.logits.size();
  s.left_out = left_out;
  s.max = w.z(top);
  CrossEntropySums sums;
  w.kernel.sums({w.at(kZHi), w.at(kZLo)}, w.weights(), w.columns.blocks(), left_out, s.max, exp_tables(),
                {w.at(kEHi), w.at(kELo)}, sums);
  s.sum_without_target = pair_sum(sums.sum_hi, sums.sum_lo);
  s.distance_without_target = plain_sum(sums.distance);
  s.magnitude_without_target = plain_sum(sums.magnitude);

  const DoubleDouble z = w.z(left_out);
  const double weight = w.in.weights.empty() ? 1 : static_cast<double>(w.in.weights[left_out]);
  s.target_logit = z.hi;
  s.target_weight = weight;
  const bool masked = !std::isfinite(s.max.hi - z.hi);  // or farther below the maximum than the largest double
  s.target_distance = masked ? DoubleDouble{kInfinity, 0} : add(s.max, negative(z));
  if (s.target_distance.hi < 0) s.target_distance = {};
  s.target_term = masked ? DoubleDouble{} : exp(negative(s.target_distance));
  s.target_is_max = s.target_distance.hi == 0;
  w.at(kEHi)[left_out] = s.target_term.hi, w.at(kELo)[left_out] = s.target_term.lo;
  if (w.smooths) {
    s.weight_sum = add(pair_sum(sums.weight_hi, sums.weight_lo), {weight, 0});
    s.smooth_sum = add(pair_sum(sums.smooth_hi, sums.smooth_lo), multiply({weight, 0}, s.target_distance));
    s.abs_weight = plain_sum(sums.abs_weight) + std::fabs(weight);
    s.abs_smooth = plain_sum(sums.abs_smooth) + std::fabs(weight) * s.target_distance.hi;
    s.abs_weighted_logit = plain_sum(sums.abs_weighted_logit) + std::fabs(weight * z.hi);
  }
  double largest_other = -kInfinity;
  for (std::size_t j = 0; j < s.cols; ++j) {
    if (w.in.logits[j] == -kInfinity) continue;
    if (j != left_out) largest_other = std::max(largest_other, w.at(kZHi)[j]);
    s.largest_logit = std::max(s.largest_logit, std::fabs(w.at(kZHi)[j]));
    s.largest_scaled = std::max(s.largest_scaled, std::fabs(w.in.logits[j] * w.in.options.logit_scale));
  }
  s.others_below = std::max(0.0, s.max.hi - largest_other);
  s.levels = levels_of(w.in.logits, left_out);
}

// docs/numerics.md section 4.8. A cap so large that its own error moves an exponential by 2^-10 leaves nothing
// certified.
void certify_sums(const CrossEntropyInput& in, CrossEntropySizes& s) {
  const double in_z = logit_error(in), cols = static_cast<double>(s.cols);
  const double m = std::fabs(s.max.hi), dropped = s.cols == 1 ? 0 : cols * 0x1p-1021;
  const bool certain = in_z * s.largest_logit < 0x1p-11;
  const double without = s.sum_without_target.hi;
  const double in_exponents = in_z == 0 ? 0 : in_z * (s.magnitude_without_target + m * without);
  s.sum_without_target_error =
      1.01 * (without * sum_relative_error(s.cols) + 0x1p-103 * s.distance_without_target + in_exponents) + dropped;
  const double of_target =
      s.target_is_max || s.target_term.hi == 0
          ? 0
          : 1.01 * s.target_term.hi *
                    (kExpRelativeError + 0x1p-103 * s.target_distance.hi + in_z * (std::fabs(s.target_logit) + m)) +
                0x1p-1021;
  s.sum_error = s.sum_without_target_error + of_target + 0x1p-103 * s.sum.hi;
  if (!certain) s.sum_without_target_error = s.sum_error = kInfinity;
}

// log S, as log1p(S_x) where S_x is all but the largest term, so that it keeps its relative accuracy.
double log_of_sum(CrossEntropySizes& s) {
  s.sum = add(s.sum_without_target, s.target_term);
  DoubleDouble rest = s.target_is_max ? s.sum_without_target : add(s.sum, {-1, 0});
  if (rest.hi < 0) rest = {};
  s.log_sum = rest.hi == 0 ? DoubleDouble{} : log1p(rest);
  if (rest.hi == 0) return 0;
  return std::min(kLogAbsoluteError + 0x1p-102 * s.log_sum.hi, 0x1p-64 * s.log_sum.hi);
}
}  // namespace

double sum_row(Work& w) {
  fill_columns(w);
  const bool counted = w.row.target == TargetClass::counted;
  sum_columns(w, static_cast<std::size_t>(counted ? w.in.target : w.row.argmax));
  const double log_error = log_of_sum(w.row.sizes);
  certify_sums(w.in, w.row.sizes);
  return log_error;
}

}  // namespace plusmax::reference
