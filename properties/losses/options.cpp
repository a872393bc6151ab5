#include "properties/losses/options.hpp"

#include "reference/dtype.hpp"

#include <cmath>
#include <limits>

namespace plusmax::properties::losses {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kKeys[] = {
    "smoothing",  "z_loss",  "softcap", "scale", "weights",      "zero_weights", "reduction",     "empty_mean",
    "normalizer", "targets", "ignored", "bad",   "ignore_index", "target_type",  "target_stride", "upstream"};
// In the order of their enumerators.
constexpr const char* kTargets[] = {"uniform", "peak"};
constexpr const char* kWeights[] = {"none", "uniform", "normal"};
constexpr const char* kReductions[] = {"none", "sum", "mean"};
constexpr const char* kEmptyMeans[] = {"zero", "nan"};
constexpr const char* kTargetTypes[] = {"i64", "i32"};

double as_f32(double value) { return reference::round_to(PLUSMAX_F32, value); }

void check_targets(const LossOptions& o, const Case& of) {
  using Limits = std::numeric_limits<std::int32_t>;
  const auto fits = [](std::int64_t target) { return target >= Limits::min() && target <= Limits::max(); };
  if (o.targets == Targets::list && (o.ignored > 0 || o.bad > 0))
    throw UsageError("ignored or bad together with targets=[...]: the list says it all; leave them out");
  if (o.ignored + o.bad > 1)
    throw UsageError("ignored " + number_text(o.ignored) + " + bad " + number_text(o.bad) +
                     " > 1: these are shares of the rows");
  if (!o.int32_targets) return;
  if (of.cols >= Limits::max())
    throw UsageError("cols " + std::to_string(of.cols) + " do not fit target_type=i32: use i64");
  const auto refuse_wide = [](std::int64_t target) {
    throw UsageError("target " + std::to_string(target) + " does not fit target_type=i32: use i64");
  };
  for (const std::int64_t target : o.target_list.values)
    if (!fits(target)) refuse_wide(target);
  for (const auto& [row, target] : o.target_list.apart)
    if (!fits(target)) refuse_wide(target);
  if (o.ignored > 0 && !fits(o.ignore_index)) refuse_wide(o.ignore_index);
}

// What kernels multiply by they hold in the type that accumulates: no case beyond its normal numbers, up to half its largest.
void check_held(const LossOptions& o, const Case& of) {
  const plusmax_dtype type = reference::result_dtype(of.dtype);
  const double least = type == PLUSMAX_F64 ? std::numeric_limits<double>::min() : double{std::numeric_limits<float>::min()};
  const double most = reference::largest(type) / 2;
  const auto demand = [&](const char* name, double value) {
    if (value == 0 || (value >= least && value <= most)) return;
    throw UsageError(std::string(name) + " " + number_text(value) + " of " + reference::name_of(of.dtype) + " logits: use " +
                     number_text(least) + " to " + number_text(most));
  };
  demand("scale", o.scale);
  demand("softcap", o.softcap);
  if (o.softcap > 0) demand("scale / softcap", o.scale / o.softcap);
  if (2 * o.z_loss > most)
    throw UsageError("z_loss " + number_text(o.z_loss) + " of " + reference::name_of(of.dtype) + " logits: use " +
                     number_text(most / 2) + " at most");
}

}  // namespace

std::vector<std::string_view> keys_with(std::span<const std::string_view> own) {
  std::vector<std::string_view> all(std::begin(kKeys), std::end(kKeys));
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

bool read_loss_option(LossOptions& out, const Case& of, std::string_view key, std::string_view text) {
  if (key == "smoothing") {
    out.smoothing = number(key, text, 0, 1);
    if (out.smoothing == 1) refuse(key, text, ": use a number from 0 to below 1");
  } else if (key == "z_loss") {
    out.z_loss = number(key, text, 0, kInfinity);
  } else if (key == "softcap") {
    out.softcap = number(key, text, 0, kInfinity);
  } else if (key == "scale") {
    out.scale = number(key, text, 0, kInfinity, true);
  } else if (key == "weights" && text.starts_with('[')) {
    out.weights = Weights::list;
    out.weight_list = read_numbers(key, text, of.cols, "classes");
    const auto demand_finite = [&](double weight) {
      if (!std::isfinite(as_f32(weight))) refuse(key, number_text(weight), ": use finite numbers of f32");
    };
    for (const double weight : out.weight_list.values) demand_finite(weight);
    for (const auto& [column, weight] : out.weight_list.apart) demand_finite(weight);
  } else if (key == "weights") {
    out.weights = static_cast<Weights>(word(key, text, kWeights));
  } else if (key == "zero_weights") {
    out.zero_weights = number(key, text, 0, 1);
  } else if (key == "reduction") {
    out.reduction = static_cast<Reduction>(word(key, text, kReductions));
  } else if (key == "empty_mean") {
    out.nan_if_empty = word(key, text, kEmptyMeans) == 1;
  } else if (key == "normalizer") {
    if (!text.starts_with('[')) refuse(key, text, ": write normalizer=[Z,NUM_VALID]");
    const auto both = read_numbers(key, text, 2, "numbers, Z and num_valid");
    out.normalizer = {both.at(0), both.at(1)};
  } else if (key == "targets" && text.starts_with('[')) {
    out.targets = Targets::list;
    out.target_list = read_integers(key, text, of.rows, "rows");
  } else if (key == "targets") {
    const auto* found = std::find(std::begin(kTargets), std::end(kTargets), text);
    if (found == std::end(kTargets)) refuse(key, text, ": use uniform, peak or a list such as [0,1]");
    out.targets = static_cast<Targets>(found - std::begin(kTargets));
  } else if (key == "ignored") {
    out.ignored = number(key, text, 0, 1);
  } else if (key == "bad") {
    out.bad = number(key, text, 0, 1);
  } else if (key == "ignore_index") {
    out.ignore_index = integer(key, text);
  } else if (key == "target_type") {
    out.int32_targets = word(key, text, kTargetTypes) == 1;
  } else if (key == "target_stride") {
    out.target_stride = integer(key, text);
    if (out.target_stride < 1 || out.target_stride > kLargestSize / std::max<std::int64_t>(of.rows, 1))
      refuse(key, text, ": use 1 or more, up to 2^40 elements in all");
  } else if (key == "upstream" && text == "normal") {
    out.upstream = Upstream::normal;
  } else if (key == "upstream") {
    const auto value = parse_number(text);
    if (!value || !std::isfinite(as_f32(*value)))
      refuse(key, text, ": write a number, or normal for one drawn for each row; finite in f32");
    out.upstream = number_text(*value) == "1" ? Upstream::one : Upstream::number;
    out.upstream_value = *value;
  } else {
    return false;
  }
  return true;
}

void check_loss_options(const LossOptions& o, const Case& of) {
  check_targets(o, of);
  check_held(o, of);
  if (o.zero_weights > 0 && o.weights != Weights::uniform && o.weights != Weights::normal)
    throw UsageError("zero_weights " + number_text(o.zero_weights) +
                     " without drawn weights: add weights=uniform or normal");
  if (o.reduction != Reduction::mean && (o.nan_if_empty || o.normalizer))
    throw UsageError(std::string(o.normalizer ? "normalizer" : "empty_mean") +
                     " without reduction=mean divides nothing: add that, or leave it out");
}

std::string loss_option_text(const LossOptions& o, std::string_view key) {
  if (key == "smoothing") return number_text(o.smoothing);
  if (key == "z_loss") return number_text(o.z_loss);
  if (key == "softcap") return number_text(o.softcap);
  if (key == "scale") return number_text(o.scale);
  if (key == "weights")
    return o.weights == Weights::list ? list_text(o.weight_list) : kWeights[static_cast<int>(o.weights)];
  if (key == "zero_weights") return number_text(o.zero_weights);
  if (key == "reduction") return kReductions[static_cast<int>(o.reduction)];
  if (key == "empty_mean") return kEmptyMeans[o.nan_if_empty];
  if (key == "normalizer")
    return o.normalizer ? "[" + number_text(o.normalizer->first) + "," + number_text(o.normalizer->second) + "]" : "";
  if (key == "targets")
    return o.targets == Targets::list ? list_text(o.target_list) : kTargets[static_cast<int>(o.targets)];
  if (key == "ignored") return number_text(o.ignored);
  if (key == "bad") return number_text(o.bad);
  if (key == "ignore_index") return std::to_string(o.ignore_index);
  if (key == "target_type") return kTargetTypes[o.int32_targets];
  if (key == "target_stride") return std::to_string(o.target_stride);
  return o.upstream == Upstream::normal ? "normal" : number_text(o.upstream_value);
}

}  // namespace plusmax::properties::losses
