// Targets, weights and upstream gradients: counter-based, from keys of their own, so that no option moves another's
// data.
#include "properties/losses/data.hpp"

#include "properties/random.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::properties::losses {
namespace {

constexpr std::uint64_t kTargetKey = 0x7A26E7, kWeightKey = 0x3E1647, kUpstreamKey = 0x0B57EA;
constexpr std::uint64_t kKind = 1, kBad = 2, kZero = 1;  // streams

Random random_of(const Case& of, std::uint64_t key) { return {mix(of.seed, key)}; }

// The columns beside the row, the ends of the type, and, in 64 bits, numbers that are classes once they are cut to 32.
std::int64_t bad_target(const Case& of, const LossOptions& options, std::uint64_t bits) {
  constexpr std::int64_t k32 = std::int64_t{1} << 32;
  const std::int64_t narrow[] = {-1, of.cols, of.cols + 1, std::numeric_limits<std::int32_t>::min(),
                                 std::max<std::int64_t>(of.cols, std::numeric_limits<std::int32_t>::max())};
  const std::int64_t wide[] = {-1,
                               of.cols,
                               k32,
                               k32 + of.cols / 2,
                               -k32,
                               std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max()};
  std::int64_t target = options.int32_targets ? narrow[bits % std::size(narrow)] : wide[bits % std::size(wide)];
  if (target >= 0 && target < of.cols) target = -1;  // 2^32 is a class of a row that long
  return target == options.ignore_index ? (target == -1 ? of.cols : -1) : target;
}

// The lowest index of the largest logit, as argmax has it; 0 if there is none.
std::int64_t peak(std::span<const double> logits) {
  std::size_t best = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    if (std::isnan(logits[j])) return static_cast<std::int64_t>(j);
    if (logits[j] > logits[best]) best = j;
  }
  return static_cast<std::int64_t>(best);
}

double as_f32(double value) { return reference::round_to(PLUSMAX_F32, value); }

}  // namespace

std::int64_t target_of(const Case& of, const LossOptions& options, std::int64_t row, std::span<const double> logits) {
  if (options.targets == Targets::list) return options.target_list.at(row);
  const Random random = random_of(of, kTargetKey);
  const auto counter = static_cast<std::uint64_t>(row);
  const double kind = random.uniform(counter, kKind);
  if (kind < options.ignored) return options.ignore_index;
  if (kind < options.ignored + options.bad) return bad_target(of, options, random.bits(counter, kBad));
  if (options.targets == Targets::peak) return peak(logits);
  return of.cols == 0 ? 0 : static_cast<std::int64_t>(random.bits(counter) % static_cast<std::uint64_t>(of.cols));
}

double weight_of(const Case& of, const LossOptions& options, std::int64_t column) {
  if (options.weights == Weights::none) return 1;
  if (options.weights == Weights::list) return as_f32(options.weight_list.at(column));
  const Random random = random_of(of, kWeightKey);
  const auto counter = static_cast<std::uint64_t>(column);
  if (random.uniform(counter, kZero) < options.zero_weights) return 0;
  return as_f32(options.weights == Weights::uniform ? 2 * random.uniform(counter) : random.normal(counter));
}

double upstream_of(const Case& of, const LossOptions& options, std::int64_t row) {
  if (options.upstream != Upstream::normal) return as_f32(options.upstream_value);
  return as_f32(random_of(of, kUpstreamKey).normal(static_cast<std::uint64_t>(row)));
}

std::vector<std::int64_t> targets_of(const Case& of, const LossOptions& options, const LogitsOf& logits_of) {
  const bool looks = options.targets == Targets::peak;
  std::vector<std::int64_t> targets;
  for (std::int64_t r = 0; r < of.rows; ++r)
    targets.push_back(target_of(of, options, r, looks ? logits_of(r) : std::span<const double>()));
  return targets;
}

std::vector<float> weights_of(const Case& of, const LossOptions& options) {
  std::vector<float> weights;
  if (options.weights == Weights::none) return weights;
  for (std::int64_t c = 0; c < of.cols; ++c) weights.push_back(static_cast<float>(weight_of(of, options, c)));
  return weights;
}

std::vector<float> upstreams_of(const Case& of, const LossOptions& options) {
  std::vector<float> upstream;
  if (options.upstream == Upstream::one) return upstream;
  const std::int64_t count = options.upstream == Upstream::number ? 1 : of.rows;
  for (std::int64_t r = 0; r < count; ++r) upstream.push_back(static_cast<float>(upstream_of(of, options, r)));
  return upstream;
}

}  // namespace plusmax::properties::losses
