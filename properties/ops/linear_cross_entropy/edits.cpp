#include "properties/ops/linear_cross_entropy/edits.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr std::int64_t kNoClass = -100;

std::shared_ptr<const Rows> rewritten(const Rows& rows, const RowEdit& edit) {
  return std::make_shared<const Rows>(edited(rows, rows.cols(), edit));
}

template <class T>
std::vector<T> permuted(const std::vector<T>& from, std::span<const std::int64_t> order) {
  std::vector<T> to;
  for (std::size_t k = 0; k < from.size(); ++k) to.push_back(from[static_cast<std::size_t>(order[k])]);
  return to;
}

// Whether every element stays what it is but for its exponent.
bool keeps_digits(const Rows& rows, int power) {
  std::vector<double> scratch;
  for (std::int64_t r = 0; r < rows.rows(); ++r)
    for (const double x : rows.row(r, scratch)) {
      const double y = std::ldexp(x, power);
      if (std::isfinite(x) && reference::round_to(rows.dtype(), y) != y) return false;
    }
  return true;
}

}  // namespace

std::string relation_refusal(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  // Relations fill what lies between the rows, too.
  const Options options = options_of(of);
  const std::int64_t tokens = of.rows, classes = of.cols;
  const struct {
    const char* name;
    std::int64_t rows, stride;
  } places[] = {{"hidden_stride", tokens, options.hidden_stride.value_or(0)},
                {"weight_stride", classes, options.weight_stride.value_or(0)},
                {"dhidden_stride", tokens, options.dhidden_stride.value_or(0)},
                {"dweight_stride", classes, options.dweight_stride.value_or(0)}};
  for (const auto& place : places)
    if (place.rows > 0 && place.stride > kRelationLogits / place.rows)
      return fmt::format("{} {}: {} rows are further apart than relations between results are checked at", place.name,
                         place.stride, place.rows);
  return properties::relation_refusal(of);
}

Call with_all_outputs(Call call, const Subject& subject) {
  Options& o = call.options;
  o.outputs = kLoss | kLse | kZLoss | kArgmax | kBadTargets | kExcessTokens;
  Call whole = call;
  whole.options.gradients = kDhidden | kDweight | kDbias;
  if (whole.options.add_to_dweight) {
    whole.dweight_before.resize(static_cast<std::size_t>(call.vocab() * call.features()));
    whole.dbias_before.resize(static_cast<std::size_t>(call.vocab()));
  }
  return refusal(subject, whole).empty() ? whole : call;
}

Call with_own_divisors(Call call) {
  if (call.options.reduction == Reduction::mean && !call.options.normalizer) call.options.normalizer = {3.5, 3};
  return call;
}

Call with_upstream(Call call, double factor) {
  if (call.upstream.empty()) call.upstream.push_back(1);
  for (float& u : call.upstream) u = static_cast<float>(static_cast<double>(u) * factor);
  return call;
}

Call with_chunk(Call call, std::int64_t chunk) {
  call.options.chunk = chunk;
  return call;
}

std::vector<Order> orders_of(std::int64_t count, const Random& random) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  std::vector<Order> orders{{"reversed", places}, {"shuffled", places}, {"rotated", places}};
  std::ranges::reverse(orders[0].places);
  for (std::size_t k = places.size(); k > 1; --k)
    std::swap(orders[1].places[k - 1], orders[1].places[random.bits(k) % k]);
  std::vector<std::int64_t>& halves = orders[2].places;
  std::rotate(halves.begin(), halves.begin() + (count + 1) / 2, halves.end());
  return orders;
}

Call select(const Call& from, std::span<const std::int64_t> tokens) {
  Call call = from;
  call.hidden = std::make_shared<const Rows>(properties::select(*from.hidden, tokens));
  call.options.max_valid_tokens = 0;
  if (call.hidden_layout.row_stride < call.features()) call.hidden_layout.row_stride = call.features();
  call.targets.clear();
  for (const std::int64_t t : tokens) call.targets.push_back(from.target(t));
  if (from.upstream.size() <= 1) return call;
  call.upstream.clear();
  for (const std::int64_t t : tokens) call.upstream.push_back(from.upstream_at(t));
  return call;
}

Call without_ignored(const Call& call) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t t = 0; t < call.tokens(); ++t)
    if (!call.ignores(t)) tokens.push_back(t);
  return select(call, tokens);
}

Call with_hidden(Call call, const RowEdit& edit) {
  call.hidden = rewritten(*call.hidden, edit);
  if (call.hidden_layout.row_stride < call.features()) call.hidden_layout.row_stride = call.features();
  return call;
}

Call with_weight(Call call, const RowEdit& edit) {
  call.weight = rewritten(*call.weight, edit);
  return call;
}

Call rearranged_classes(const Call& call, std::span<const std::int64_t> order) {
  Call moved = call;
  moved.weight = std::make_shared<const Rows>(properties::select(*call.weight, order));
  moved.bias = permuted(call.bias, order);
  moved.class_weights = permuted(call.class_weights, order);
  moved.dbias_before = permuted(call.dbias_before, order);
  const auto features = static_cast<std::size_t>(call.features());
  for (std::size_t i = 0; i < call.dweight_before.size(); ++i)
    moved.dweight_before[i] =
        call.dweight_before[static_cast<std::size_t>(order[i / features]) * features + i % features];
  std::vector<std::int64_t> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    place[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
  moved.options.ignore_index = kNoClass;  // a class would be another one now
  for (std::int64_t t = 0; t < call.tokens(); ++t) {
    std::int64_t& target = moved.targets[static_cast<std::size_t>(t)];
    target = call.ignores(t) ? kNoClass : call.is_bad(t) ? -1 : place[static_cast<std::size_t>(target)];
  }
  return moved;
}

Call rearranged_features(const Call& call, std::span<const std::int64_t> order) {
  const RowEdit edit = [&](std::int64_t, auto in, auto out) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = in[static_cast<std::size_t>(order[k])];
  };
  Call moved = call;
  moved.hidden = rewritten(*call.hidden, edit);
  moved.weight = rewritten(*call.weight, edit);
  const auto features = static_cast<std::size_t>(call.features());
  for (std::size_t i = 0; i < call.dweight_before.size(); ++i)
    moved.dweight_before[i] =
        call.dweight_before[i / features * features + static_cast<std::size_t>(order[i % features])];
  return moved;
}

Call scaled(const Call& call, int power) {
  const auto times = [](int exponent) {
    return [exponent](std::int64_t, std::span<const double> in, std::span<double> out) {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = std::ldexp(in[k], exponent);
    };
  };
  Call other = call;
  other.hidden = rewritten(*call.hidden, times(power));
  other.weight = rewritten(*call.weight, times(-power));
  return other;
}

bool scalable(const Call& call, int power) {
  return keeps_digits(*call.hidden, power) && keeps_digits(*call.weight, -power);
}

bool holds_target(const Call& call, std::int64_t target) {
  using Narrow = std::numeric_limits<std::int32_t>;
  return !call.options.int32_targets || (target >= Narrow::min() && target <= Narrow::max());
}

}  // namespace plusmax::properties::linear_cross_entropy
