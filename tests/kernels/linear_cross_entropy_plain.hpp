// The operation in plain double precision, and how far a call may be off: first-order rounding analysis from sums of
// magnitudes, each step carried on by its Lipschitz constant. Double's own rounding is 2^-29 of what it bounds.
#pragma once

#include "kernels/platform/gemm.hpp"
#include "tests/kernels/linear_cross_entropy_call.hpp"

#include <algorithm>

namespace plusmax::tests {

// Unit roundoff.
inline double roundoff(plusmax_dtype dtype) {
  return dtype == PLUSMAX_F16 ? 0x1p-11 : dtype == PLUSMAX_BF16 ? 0x1p-8 : 0x1p-24;
}
// Half the distance of subnormals: what rounding is off by near 0.
inline double underflow(plusmax_dtype dtype) { return dtype == PLUSMAX_F16 ? 0x1p-25 : 0x1p-150; }
// (1 + u)^n - 1 <= n u / (1 - n u), which counts the second order, too.
inline double gamma(double n, double u = 0x1p-24) { return n * u / (1 - n * u); }

struct Expected {
  double value = 0, bound = 0;
};

class PlainLinear {
 public:
  PlainLinear(const LinearCall& call, const linear_cross_entropy::Plan& plan, const CrossEntropyShape& shape)
      : call_(call),
        plan_(plan),
        shape_(shape),
        hidden_(rounded(call.hidden)),
        weight_(rounded(call.weight)),
        bias_(rounded(call.bias)) {
    count();
    dhidden.resize(call.tokens * call.features);
    dweight.resize(call.vocab * call.features);
    dbias.resize(call.vocab);
    magnitude_.resize(dweight.size());
    bias_magnitude_.resize(dbias.size());
    for (std::size_t token = 0; token < call.tokens; ++token) add_token(token);
    finish_sums();
    finish_loss();
  }

  std::vector<Expected> loss_rows, lse, dhidden, dweight, dbias;
  Expected loss;

 private:
  Values rounded(Values values) const {
    for (double& x : values) x = reference::round_to(call_.dtype, x);
    return values;
  }
  double class_weight(std::size_t j) const { return call_.weighted ? double(call_.class_weights[j]) : 1; }
  bool mean() const { return call_.options.reduction == PLUSMAX_MEAN; }

  void count() {
    for (const std::int64_t target : call_.targets) {
      if (target == call_.options.ignore_index) continue;
      weight_sum_ += class_weight(std::size_t(target));
      rows_ += 1;
    }
    if (call_.normalizer) weight_sum_ = call_.divisors[0], rows_ = call_.divisors[1];
    for (std::size_t j = 0; j < call_.vocab; ++j) all_weights_ += class_weight(j);
  }

  // z, and what the stored one may be off by: product, bias and storage.
  void logits(std::size_t token, Values& x, double& off) const {
    const double additions = platform::product_additions(std::int64_t(call_.features)) + 2;
    x.assign(call_.vocab, 0);
    off = 0;
    for (std::size_t j = 0; j < call_.vocab; ++j) {
      double magnitude = 0;
      for (std::size_t k = 0; k < call_.features; ++k) {
        const double product = hidden_[token * call_.features + k] * weight_[j * call_.features + k];
        x[j] += product, magnitude += std::abs(product);
      }
      if (call_.biased) x[j] += bias_[j], magnitude += std::abs(bias_[j]);
      const plusmax_dtype stored = plan_.options.chunk_dtype;
      off = std::max(off, gamma(additions) * magnitude + 2 * roundoff(stored) * std::abs(x[j]) + underflow(stored));
    }
  }

  void add_token(std::size_t token) {
    const auto target = call_.targets[token];
    if (target == call_.options.ignore_index) {
      loss_rows.push_back({});
      lse.push_back({});
      losses_.push_back({});
      return;
    }
    Values x, z(call_.vocab), p(call_.vocab);
    double off = 0;
    logits(token, x, off);
    const cross_entropy::Options& o = call_.options;
    const double s = o.logit_scale, c = o.softcap;
    for (std::size_t j = 0; j < call_.vocab; ++j) z[j] = c > 0 ? c * std::tanh(s * x[j] / c) : s * x[j];
    const double m = *std::max_element(z.begin(), z.end()), low = *std::min_element(z.begin(), z.end());
    double sum = 0;
    for (std::size_t j = 0; j < call_.vocab; ++j) sum += p[j] = std::exp(z[j] - m);
    for (double& each : p) each /= sum;
    const double log_sum = m + std::log(sum), range = m - low, largest = std::max(std::abs(m), std::abs(low));

    // What the rows' kernel adds, in u: its sum, its logits, its logarithm. tanh' <= 1, so z is off by s times x's.
    const ErrorShape& f = shape_.sum;
    const double of_logits = s * off + gamma(shape_.logit_roundings + shape_.tanh_relative) * largest;
    const double of_sum = gamma(f.additions + (f.rescales + 1) * (f.exp_relative + (f.exp_argument + 2) * range));
    const double of_lse =
        of_logits + of_sum +
        gamma(f.log_relative + shape_.log1p_relative + 4) * (std::abs(std::log(sum)) + range + std::abs(log_sum)) +
        f.log_absolute * f.unit_roundoff;
    lse.push_back({log_sum, of_lse});

    const double eps = o.label_smoothing, share = eps / double(call_.vocab), lambda = o.z_loss;
    const std::size_t y = std::size_t(target);
    const double wy = class_weight(y);
    double loss = (1 - eps) * wy * (log_sum - z[y]);
    for (std::size_t j = 0; j < call_.vocab; ++j) loss += share * class_weight(j) * (log_sum - z[j]);
    const double lead = (1 - eps) * wy + share * all_weights_, z_loss = lambda * log_sum * log_sum;
    // lse - z is off by what either is; distances of up to `range` pass through the loss's own steps.
    const double steps = gamma(shape_.loss_roundings + shape_.smoothing_additions + shape_.weight_additions + 4);
    const double of_loss = lead * (of_lse + of_logits) + steps * lead * (range + std::abs(std::log(sum)));
    const double of_z = lambda * (2 * std::abs(log_sum) + of_lse) * of_lse + gamma(4) * z_loss;
    loss_rows.push_back({loss + z_loss, of_loss + of_z + gamma(1) * (std::abs(loss) + z_loss)});
    losses_.push_back({{loss, of_loss}, {z_loss, of_z}});
    add_gradient(token, x, p, off, of_logits, of_sum, of_lse, log_sum);
  }

  void add_gradient(std::size_t token, const Values& x, const Values& p, double off, double of_logits, double of_sum,
                    double of_lse, double log_sum) {
    const cross_entropy::Options& o = call_.options;
    const double s = o.logit_scale, c = o.softcap, eps = o.label_smoothing, share = eps / double(call_.vocab);
    const double u = call_.upstreams.empty() ? 1 : double(call_.upstreams[token * call_.upstream_stride]);
    const std::size_t y = std::size_t(call_.targets[token]);
    const double wy = class_weight(y), z_divisor = mean() ? rows_ : 1, divisor = mean() ? weight_sum_ : 1;
    const double none = weight_sum_ == 0 || rows_ == 0 ? 0 : 1;
    const double lead = ((1 - eps) * wy + share * all_weights_) / divisor, z = 2 * o.z_loss / z_divisor;
    // p = exp(z - lse): both exponents may move by `of_logits`.
    const double of_p = std::expm1(2 * of_logits) + 2 * of_sum;
    const plusmax_dtype operands = call_.dtype, stored = plan_.options.chunk_dtype;
    for (std::size_t j = 0; j < call_.vocab; ++j) {
      const double t = c > 0 ? std::tanh(s * x[j] / c) : 0, slope = u * s * (1 - t * t) * none;
      const double plain = lead * p[j] - ((j == y ? (1 - eps) * wy : 0) + share * class_weight(j)) / divisor;
      const double g = slope * (plain + z * log_sum * p[j]);
      const double magnitude =
          std::abs(slope) *
          (lead * p[j] + ((j == y ? wy : 0) + share * class_weight(j)) / divisor + z * std::abs(log_sum) * p[j]);
      // 1 - t^2 moves by 2 t (1 - t^2) s / c relative to what x does; the products read g rounded once or twice.
      const double of_slope = c > 0 ? std::expm1(2 * s / c * off) : 0;
      const double of_g = std::abs(slope) * p[j] * (lead * of_p + z * (of_lse + std::abs(log_sum) * of_p)) +
                          magnitude * (of_slope + gamma(shape_.gradient_roundings + shape_.tanh_relative + 4)) +
                          (roundoff(stored) + roundoff(operands)) * std::abs(g) + underflow(stored) +
                          underflow(operands);
      const double sure = gamma(platform::product_additions(std::int64_t(call_.vocab)) + 2);
      for (std::size_t k = 0; k < call_.features; ++k) {
        const double w = weight_[j * call_.features + k], h = hidden_[token * call_.features + k];
        Expected& dx = dhidden[token * call_.features + k];
        dx.value += g * w, dx.bound += of_g * std::abs(w) + sure * (std::abs(g) + of_g) * std::abs(w);
        Expected& dw = dweight[j * call_.features + k];
        dw.value += g * h, dw.bound += of_g * std::abs(h);
        magnitude_[j * call_.features + k] += (std::abs(g) + of_g) * std::abs(h);
      }
      dbias[j].value += g, dbias[j].bound += of_g;
      bias_magnitude_[j] += std::abs(g) + of_g;
    }
  }

  // Sums over tokens: a chunk's product, the chunks one after the other, in f32 or in their own type; the result
  // rounded.
  void finish_sums() {
    const double chunks = double(plan_.chunks), out = roundoff(call_.dweight_type);
    const double products = gamma(platform::product_additions(plan_.tile_rows) + chunks + 2);
    const double apart = plan_.options.accumulate_in_dweight_type ? chunks * out : 0;
    const auto finish = [&](Expected& e, double magnitude, double roundings, std::size_t i) {
      const double before = call_.add ? call_.before(i) : 0;
      e.value += before, magnitude += std::abs(before);
      e.bound += (roundings + apart) * magnitude + out * (std::abs(e.value) + e.bound) + underflow(call_.dweight_type);
    };
    for (std::size_t i = 0; i < dweight.size(); ++i) finish(dweight[i], magnitude_[i], products, i);
    const double rows = gamma(double(call_.tokens) + chunks + 2);  // a chain passes through no more additions than rows
    for (std::size_t i = 0; i < dbias.size(); ++i) finish(dbias[i], bias_magnitude_[i], rows, i);
    for (Expected& e : dhidden)
      e.bound += roundoff(call_.dtype) * (std::abs(e.value) + e.bound) + underflow(call_.dtype);
  }

  void finish_loss() {
    const double none = mean() && (weight_sum_ == 0 || rows_ == 0) ? 0 : 1;
    double magnitude = 0;
    for (const auto& [plain, z] : losses_) {
      const double divisor = mean() ? weight_sum_ : 1, z_divisor = mean() ? rows_ : 1;
      if (none == 0) continue;
      loss.value += plain.value / divisor + z.value / z_divisor;
      loss.bound += std::abs(plain.bound / divisor) + z.bound / z_divisor;
      magnitude += std::abs(plain.value / divisor) + z.value / z_divisor;
    }
    loss.bound += gamma(2) * magnitude;  // added up in f64, rounded once
  }

  struct Losses {
    Expected plain, z;
  };
  const LinearCall& call_;
  const linear_cross_entropy::Plan& plan_;
  CrossEntropyShape shape_;
  Values hidden_, weight_, bias_, magnitude_, bias_magnitude_;
  std::vector<Losses> losses_;
  double weight_sum_ = 0, rows_ = 0, all_weights_ = 0;
};

// The largest error over its bound; above 1 or NaN: wrong.
inline double worst_of(const Values& got, const std::vector<Expected>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(got.at(i) - expected[i].value);
    if (!(error <= expected[i].bound)) return expected[i].bound > 0 ? error / expected[i].bound : INFINITY;
    if (expected[i].bound > 0) worst = std::max(worst, error / expected[i].bound);
  }
  return worst;
}

}  // namespace plusmax::tests
