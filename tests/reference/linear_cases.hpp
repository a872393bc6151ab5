// Cases of linear_cross_entropy for the tests of the reference: shapes of data that a term of a proof depends on, with
// options.
#pragma once

#include "reference/dtype.hpp"
#include "reference/linear_cross_entropy.hpp"
#include "tests/reference/cross_entropy_rows.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace plusmax::test {

enum class LinearData { zero_mean, same_sign, cancelling, offset, confident, masked, tiny };
inline constexpr std::array kLinearData = {LinearData::zero_mean, LinearData::same_sign, LinearData::cancelling,
                                           LinearData::offset,    LinearData::confident, LinearData::masked,
                                           LinearData::tiny};

// Owns what a LinearCrossEntropyInput points to.
struct LinearCase {
  LinearData data;
  plusmax_dtype dtype;
  std::vector<double> x, w, bias, upstream;
  std::vector<std::int64_t> targets;
  std::vector<float> class_weights;
  reference::LinearCrossEntropyInput in;

  void tie() {
    in.x = x, in.w = w, in.bias = bias, in.upstream = upstream;
    in.targets = targets, in.class_weights = class_weights;
  }
  std::string text() const {
    std::ostringstream s;
    s << "data " << static_cast<int>(data) << ", " << reference::name_of(dtype) << ", " << in.tokens
      << " tokens, vocab " << in.vocab << ", features " << in.features << ", eps " << in.options.smoothing
      << ", lambda " << in.options.z_loss << ", cap " << in.options.softcap << ", scale " << in.options.logit_scale
      << ", bias " << !bias.empty() << ", class weights " << !class_weights.empty() << ", upstream " << upstream.size()
      << ", Z " << in.divisors.z.hi;
    return s.str();
  }
};

struct LinearSizes {
  std::size_t tokens, vocab, features;
};

// A quarter of the tokens is ignored, with NaN in their rows of X; every column that a target names is finite.
inline LinearCase linear_case(LinearData data, plusmax_dtype dtype, LinearSizes n, std::mt19937_64& random) {
  LinearCase c{data, dtype, {}, {}, {}, {}, {}, {}, {}};
  std::normal_distribution<double> normal;
  const auto stored = [&](double value) { return reference::round_to(dtype, value); };
  const double deviation = 3 / std::sqrt(static_cast<double>(n.features));
  const auto element = [&](double scale) {
    const double a = normal(random);
    if (data == LinearData::same_sign) return stored((std::fabs(a) + 1) * scale / 4);
    return stored(a * scale * (data == LinearData::tiny ? 1e-6 : 1));
  };
  c.x.resize(n.tokens * n.features), c.w.resize(n.vocab * n.features), c.targets.resize(n.tokens);
  for (double& a : c.x) a = element(1);
  for (double& a : c.w) a = element(deviation);
  if (data == LinearData::cancelling) {  // neighbouring features all but cancel
    for (std::size_t k = 0; k + 1 < n.features; k += 2) {
      for (std::size_t i = 0; i < n.tokens; ++i) c.x[i * n.features + k + 1] = c.x[i * n.features + k];
      for (std::size_t j = 0; j < n.vocab; ++j)
        c.w[j * n.features + k + 1] = -stored((c.w[j * n.features + k] *= 64) * (1 + 0.02 * normal(random)));
    }
  }
  if (data == LinearData::offset) {
    for (std::size_t i = 0; i < n.tokens; ++i) c.x[i * n.features] = 16;
    for (std::size_t j = 0; j < n.vocab; ++j) c.w[j * n.features] = 12;
  }
  const bool has_bias = data == LinearData::confident || data == LinearData::masked || random() % 2 == 0;
  for (std::size_t j = 0; j < n.vocab && has_bias; ++j) c.bias.push_back(stored(normal(random)));
  for (std::int64_t& y : c.targets) y = static_cast<std::int64_t>(random() % n.vocab);
  if (data == LinearData::confident) {
    for (std::int64_t& y : c.targets) y = static_cast<std::int64_t>(n.vocab / 2);
    c.bias[n.vocab / 2] = 24;
  }
  if (data == LinearData::masked) {
    for (std::size_t j = 0; j < n.vocab; ++j)
      if (random() % 3 == 0 && std::find(c.targets.begin(), c.targets.end(), j) == c.targets.end())
        c.bias[j] = -std::numeric_limits<double>::infinity();
  }
  for (std::size_t i = 1; i < n.tokens; ++i) {
    if (random() % 4 != 0) continue;
    c.targets[i] = c.in.ignore_index;
    for (std::size_t k = 0; k < n.features; ++k) c.x[i * n.features + k] = std::numeric_limits<double>::quiet_NaN();
  }
  c.in.tokens = n.tokens, c.in.vocab = n.vocab, c.in.features = n.features;
  c.tie();
  return c;
}

inline void draw_options(LinearCase& c, std::mt19937_64& random) {
  const auto pick = [&](std::initializer_list<double> values) { return f32(values.begin()[random() % values.size()]); };
  const double smoothing = pick({0, 0, 0.1, 0.5}), z_loss = pick({0, 0, 1e-4, 0.25}), cap = pick({0, 0, 30, 5}),
               scale = pick({1, 1, 0.3, 2});
  c.in.options = {smoothing, z_loss, cap, scale};
  c.class_weights = draw_weights(static_cast<int>(random() % 6 / 2), c.in.vocab, random);
  const std::size_t given = random() % 3;
  c.upstream.assign(given == 0 ? 0 : given == 1 ? 1 : c.in.tokens, 0);
  for (double& u : c.upstream) u = f32(pick({1, -2.5, 0.125}));
  if (random() % 2 == 0) c.in.divisors = {{f32(5.7), 0}, 9, 0, false};
  c.tie();
}

}  // namespace plusmax::test
