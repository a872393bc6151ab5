#include "properties/ops/linear_cross_entropy/inputs.hpp"

#include "properties/losses/data.hpp"
#include "properties/random.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kHiddenKey = 0x41DDE4, kBiasKey = 0xB1A500, kBeforeKey = 0xBEF04E;
constexpr std::uint64_t kMask = 1, kBias = 2;  // streams
constexpr double kOffset = 1000, kPeak = 24;

Random random_of(const Case& of, std::uint64_t key) { return {mix(of.seed, key)}; }

double stored(plusmax_dtype dtype, double value) {
  if (!std::isfinite(value)) return value;
  const double largest = reference::largest(dtype);
  return std::clamp(reference::round_to(dtype, value), -largest, largest);
}

double hidden_element(const Case& of, const Options& o, std::int64_t token, std::int64_t feature) {
  const Random random = random_of(of, mix(kHiddenKey, static_cast<std::uint64_t>(token)));
  switch (o.hidden) {
    case Hidden::normal:
      return random.normal(static_cast<std::uint64_t>(feature));
    case Hidden::average:
      return 2 * random.uniform(static_cast<std::uint64_t>(feature)) / static_cast<double>(o.features);
    case Hidden::one_hot:
      return feature == token % o.features ? 1 : 0;
    case Hidden::zero:
      return 0;
    case Hidden::list:
      return o.hidden_list[static_cast<std::size_t>(token)][static_cast<std::size_t>(feature)];
  }
  return 0;
}

std::vector<double> hidden_of(const Case& of, const Options& o) {
  std::vector<double> x;
  const bool repeated = o.hidden_stride == 0 && of.rows > 1;
  for (std::int64_t t = 0; t < of.rows; ++t)
    for (std::int64_t k = 0; k < o.features; ++k)
      x.push_back(stored(of.dtype, hidden_element(of, o, repeated ? 0 : t, k)));
  return x;
}

std::vector<double> weight_of(const Case& of, const Options& o) {
  std::vector<double> w(static_cast<std::size_t>(of.cols * o.features));
  const auto at = [&](std::int64_t j, std::int64_t k) -> double& {
    return w[static_cast<std::size_t>(j * o.features + k)];
  };
  if (!o.weight_rows.empty()) {
    for (std::int64_t j = 0; j < of.cols; ++j)
      for (std::int64_t k = 0; k < o.features; ++k)
        at(j, k) = stored(of.dtype, o.weight_rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)]);
    return w;
  }
  Case rows = of;
  if (of.data.empty()) rows.rows = std::max(of.rows, o.features);
  const double scale = o.hidden == Hidden::normal ? 1 / std::sqrt(static_cast<double>(o.features)) : 1;
  std::vector<double> row(static_cast<std::size_t>(of.cols));
  for (std::int64_t k = 0; k < o.features && rows.rows > 0 && of.cols > 0; ++k) {
    fill_row(rows, k % rows.rows, row.data());
    for (std::int64_t j = 0; j < of.cols; ++j) {
      const double value = row[static_cast<std::size_t>(j)];
      at(j, k) = std::isinf(value) ? 0 : stored(of.dtype, value * scale);
    }
  }
  return w;
}

double bias_element(const Case& of, const Options& o, std::int64_t column) {
  const Random random = random_of(of, kBiasKey);
  const auto counter = static_cast<std::uint64_t>(column);
  const double normal = random.normal(counter);
  switch (o.bias) {
    case Bias::none:
      return 0;
    case Bias::normal:
      return normal;
    case Bias::masked:
      return column > 0 && random.uniform(counter, kMask) < 1.0 / 3 ? -kInfinity : normal;
    case Bias::offset:
      return kOffset + normal;
    case Bias::peak:
      return column == of.cols / 2 ? kPeak : normal;
    case Bias::list:
      return o.bias_list.at(column);
  }
  return 0;
}

// In plain double arithmetic, which every machine rounds alike.
std::span<const double> logits_of(const Call& call, std::int64_t token, std::vector<double>& logits) {
  std::vector<double> x_scratch, w_scratch;
  const auto x = call.hidden->row(token, x_scratch);
  logits.assign(static_cast<std::size_t>(call.vocab()), 0);
  for (std::size_t j = 0; j < logits.size(); ++j) {
    const auto w = call.weight->row(static_cast<std::int64_t>(j), w_scratch);
    for (std::size_t k = 0; k < x.size(); ++k) logits[j] += x[k] * w[k];
    if (!call.bias.empty()) logits[j] += call.bias[j];
  }
  return logits;
}

// What an ignored token holds reaches nothing. A row that others share stays as it is, and so does what is given.
void spoil_ignored(const Case& of, Call& call, std::vector<double>& x) {
  if (call.options.hidden == Hidden::list || (call.options.hidden_stride == 0 && of.rows > 1)) return;
  for (std::int64_t t = 0; t < of.rows; ++t)
    if (call.ignores(t))
      std::fill_n(x.begin() + t * call.options.features, call.options.features,
                  std::numeric_limits<double>::quiet_NaN());
}

void draw_before(const Case& of, Call& call) {
  const Options& o = call.options;
  if (!o.add_to_dweight) return;
  const Random random = random_of(of, kBeforeKey);
  const auto fill = [&](std::vector<double>& to, std::int64_t count, std::uint64_t stream) {
    for (std::int64_t i = 0; i < count; ++i)
      to.push_back(stored(call.dweight_type(), random.normal(static_cast<std::uint64_t>(i), stream)));
  };
  if (o.gradients & kDweight) fill(call.dweight_before, of.cols * o.features, 0);
  if (o.gradients & kDbias) fill(call.dbias_before, of.cols, kBias);
}

}  // namespace

std::vector<double> bias_of(const Case& of, const Options& o) {
  std::vector<double> bias;
  for (std::int64_t j = 0; j < of.cols && o.bias != Bias::none; ++j)
    bias.push_back(stored(of.dtype, bias_element(of, o, j)));
  return bias;
}

std::int64_t Call::valid() const {
  std::int64_t count = 0;
  for (std::int64_t t = 0; t < tokens(); ++t) count += !ignores(t);
  return count;
}

std::int64_t Call::excess() const {
  return options.max_valid_tokens == 0 ? 0 : std::max<std::int64_t>(valid() - options.max_valid_tokens, 0);
}

Call call_of(const Case& of) {
  Call call;
  call.options = options_of(of);
  const Options& o = call.options;
  std::vector<double> x = hidden_of(of, o);
  call.hidden = std::make_shared<Rows>(of.dtype, of.rows, o.features, x);
  call.weight = std::make_shared<Rows>(of.dtype, of.cols, o.features, weight_of(of, o));
  call.hidden_layout = {o.hidden_stride.value_or(o.features), 1, 1, of.phase};
  call.weight_layout = {o.weight_stride.value_or(o.features), 1, 1, o.weight_phase};
  call.bias = bias_of(of, o);
  call.dhidden = {o.dhidden_stride.value_or(o.features), of.phase};
  call.dweight = {o.dweight_stride.value_or(o.features), o.weight_phase};
  std::vector<double> logits;
  call.targets = targets_of(of, o, [&](std::int64_t token) { return logits_of(call, token, logits); });
  call.class_weights = weights_of(of, o);
  call.upstream = upstreams_of(of, o);
  spoil_ignored(of, call, x);
  call.hidden = std::make_shared<Rows>(of.dtype, of.rows, o.features, std::move(x));
  draw_before(of, call);
  return call;
}

}  // namespace plusmax::properties::linear_cross_entropy
