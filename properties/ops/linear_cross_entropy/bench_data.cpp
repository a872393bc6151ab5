#include "properties/ops/linear_cross_entropy/bench_data.hpp"

#include "properties/losses/data.hpp"
#include "properties/ops/linear_cross_entropy/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// Tokens, an even number, so that of every other one half are there. A tile that lands in the place of another is seen:
// tiles are shifted by powers of two.
constexpr std::int64_t kDistinctTokens = 126;
constexpr std::int64_t kDistinctWeights = std::int64_t{1} << 22;  // elements of W, so that its rows are an odd number

std::int64_t distinct_classes_of(std::int64_t vocab, std::int64_t features) {
  const std::int64_t most = std::max<std::int64_t>(kDistinctWeights / features, 1);
  return vocab <= most ? vocab : (most - 1) | 1;
}

void demand_plain(const Case& of, const Options& o) {
  const bool dense =
      o.hidden_stride.value_or(o.features) == o.features && o.weight_stride.value_or(o.features) == o.features &&
      o.dhidden_stride.value_or(o.features) == o.features && o.dweight_stride.value_or(o.features) == o.features;
  if (!dense || of.phase != 0 || o.weight_phase != 0 || o.target_stride != 1)
    throw UsageError("bench lays its rows side by side: leave strides and phases out");
  if (!of.data.empty() || !of.set.empty() || o.hidden == Hidden::list || !o.weight_rows.empty())
    throw UsageError("bench draws X and W: leave data, set and lists of them out");
  if (o.targets == Targets::peak) throw UsageError("bench draws its targets: targets=peak depends on the logits");
  if (o.bad > 0) throw UsageError("with bad targets all gradients are NaN: bench has nothing to verify");
}

// X, W and what is added to, as any case with these has them.
Call matrices_of(const Case& whole, std::int64_t tokens, std::int64_t classes) {
  constexpr std::string_view kKept[] = {"features", "hidden", "gradient", "dweight_type", "add_to_dweight"};
  Case small = whole;
  std::erase_if(small.options, [&](const auto& option) {
    return std::find(std::begin(kKept), std::end(kKept), option.first) == std::end(kKept);
  });
  set_shape(small, tokens, classes);
  return call_of(small);
}

std::vector<double> elements(const Rows& rows) {
  std::vector<double> all, scratch;
  for (std::int64_t r = 0; r < rows.rows(); ++r) {
    const auto row = rows.row(r, scratch);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace

BenchData::BenchData(const Case& of)
    : whole(of),
      options(options_of(of)),
      distinct_tokens(std::min(of.rows, kDistinctTokens)),
      distinct_classes(distinct_classes_of(of.cols, options.features)) {
  demand_plain(of, options);
  Call call = matrices_of(of, distinct_tokens, distinct_classes);
  hidden = elements(*call.hidden);
  weight = elements(*call.weight);
  dweight_before = std::move(call.dweight_before);
  dbias_before = std::move(call.dbias_before);
  Case first = of;
  set_shape(first, distinct_tokens, of.cols);
  bias = bias_of(first, options);
  targets = targets_of(first, options, nullptr);
  class_weights = weights_of(first, options);
  upstream = upstreams_of(first, options);
  std::int64_t valid = 0;
  for (std::int64_t t = 0; t < tokens(); ++t) {
    valid += !ignores(t);
    if (!ignores(t) && (target(t) < 0 || target(t) >= vocab()))
      throw UsageError(
          fmt::format("target {} is no class: all gradients are NaN, bench has nothing to verify", target(t)));
  }
  if (options.max_valid_tokens > 0 && valid > options.max_valid_tokens)
    throw UsageError(
        fmt::format("max_valid_tokens {}, but {} tokens count: all gradients are NaN, bench has nothing to verify",
                    options.max_valid_tokens, valid));
}

bool BenchData::is_target(std::int64_t column) const {
  return column != options.ignore_index && std::find(targets.begin(), targets.end(), column) != targets.end();
}

std::vector<std::int64_t> BenchData::all_targets() const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(tokens()));
  for (std::int64_t t = 0; t < tokens(); ++t) all[static_cast<std::size_t>(t)] = target(t);
  return all;
}

}  // namespace plusmax::properties::linear_cross_entropy
