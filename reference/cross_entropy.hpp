// The certified reference of cross_entropy, one row: loss, its parts, lse, argmax and every gradient element, in
// double-double with a proved bound of its own error. Formulas and special rows: docs/contracts.md; proof:
// docs/numerics.md section 4.8.
#pragma once

#include "reference/logsumexp.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plusmax::reference {

// The real numbers that the call's options stand for: an f32 option as its exact value.
struct CrossEntropyOptions {
  double smoothing = 0;    // eps, in [0, 1)
  double z_loss = 0;       // lambda
  double softcap = 0;      // c; 0: none
  double logit_scale = 1;  // s > 0
};

// What gradients are divided by: {1, 1} for none and sum, {Z, num_valid} for mean (cross_entropy_reduction.hpp).
struct Divisors {
  DoubleDouble z{1, 0};
  double num_valid = 1;
  double z_doubt = 0;        // what a sum of Z in f64 may be off by, relative
  bool no_gradient = false;  // Z = 0 or num_valid = 0: every gradient is 0, nothing is divided
};

struct CrossEntropyInput {
  std::span<const double> logits;  // [cols] x, as stored, exact; cols >= 1
  std::span<const float> weights;  // [cols] w, or empty: all 1
  std::int64_t target = 0;         // y
  std::int64_t ignore_index = -100;
  CrossEntropyOptions options;
  double upstream = 1;  // u
  Divisors divisors;
  // [cols] what a kernel's own logits may be off from these, absolutely, or empty: they are these. Only bounds look at it.
  std::span<const double> logit_errors;
};

enum class TargetClass { counted, ignored, out_of_range };

// What bounds are made of (docs/numerics.md sections 3d to 3f), double-doubles where the result needs them, and plain
// sums of non-negative terms. `without target`: for a target that is out of range, without the column argmax.
inline constexpr std::size_t kManyLevels = 16;
struct CrossEntropySizes {
  std::size_t cols = 0, left_out = 0;                             // the column left out of the sums `without target`
  bool target_is_max = false;                                     // z_y = m
  DoubleDouble max, sum, sum_without_target, log_sum;             // m, S, S_x, log S
  DoubleDouble weight_sum, smooth_sum;                            // W, A = sum w (m - z); smoothing only
  DoubleDouble target_term, target_distance;                      // e_y, m - z_y
  double sum_error = 0, sum_without_target_error = 0;             // absolute, of S and S_x
  double target_logit = 0, target_weight = 1;                     // z_y, w_y
  double distance_without_target = 0;                             // sum of e_j (m - z_j)
  double others_below = 0;                                        // m - max of the others' z_j
  std::size_t levels = 0;  // distinct logits among the others, masked ones apart; kManyLevels: at least as many
  double magnitude_without_target = 0;                            // sum of e_j |z_j|
  double abs_weight = 0, abs_smooth = 0, abs_weighted_logit = 0;  // sums of |w|, |w| (m - z), |w z|
  double largest_logit = 0;                                       // max |z_j| over finite ones
  double largest_scaled = 0;                                      // max |s x_j| over finite ones
};

// The coefficients of dz_j = (target + smoothing W + z_loss) p_j - smoothing w_j - [j = y] target, each without the
// factor u s.
struct GradientCoefficients {
  DoubleDouble target;     // (1 - eps) w_y / Z
  DoubleDouble smoothing;  // eps / (V Z)
  DoubleDouble z_loss;     // 2 lambda lse / num_valid
};

struct CrossEntropyRow {
  TargetClass target = TargetClass::counted;
  std::int64_t argmax = -1;                        // of the stored logits; -1: ignored
  Certified lse, cross_entropy, z_loss, loss;      // loss = cross_entropy + z_loss, neither divided nor scaled
  ValueClass gradient_class = ValueClass::finite;  // of the whole row: finite or NaN
  bool gradient_is_zero = false;                   // ignored row, or no_gradient: +0 bit for bit
  bool unknown = false;                            // s x is beyond the largest double: nothing else is filled in
  CrossEntropySizes sizes;                         // where lse is finite and the row is not ignored

  // [cols] each, where the gradient is finite, not zero, and asked for.
  std::vector<double> gradient_hi, gradient_lo;  // dx
  std::vector<double> p, z, slope;               // softmax, capped logit, 1 - tanh^2; the high halves
  GradientCoefficients coefficients;
};

enum class Outputs { loss, loss_and_gradient };
// Throws std::invalid_argument for cols = 0, options out of range, or weights of another length.
CrossEntropyRow cross_entropy(const CrossEntropyInput&, Outputs = Outputs::loss_and_gradient);
CrossEntropyRow cross_entropy(const CrossEntropyInput&, Outputs, Tier);

// dx of one column with its error. The row must hold its gradient.
Certified cross_entropy_gradient(const CrossEntropyInput&, const CrossEntropyRow&, std::size_t column);

// One number of a row, for whoever goes through all of them.
enum class CrossEntropyResult { lse, cross_entropy, z_loss, loss, gradient };
struct CrossEntropyQuestion {
  CrossEntropyResult result = CrossEntropyResult::loss;
  std::size_t column = 0;  // of the gradient
};
Certified cross_entropy_result(const CrossEntropyInput&, const CrossEntropyRow&, CrossEntropyQuestion);

void check_input(const CrossEntropyInput&);  // the throws of cross_entropy()
TargetClass target_class(const CrossEntropyInput&);

}  // namespace plusmax::reference
