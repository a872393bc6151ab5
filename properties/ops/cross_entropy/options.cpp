#include "properties/ops/cross_entropy/options.hpp"

#include "properties/number.hpp"
#include "properties/suggest.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kKeys[] = {"smoothing",    "z_loss",    "softcap",      "scale",       "weights",
                                      "zero_weights", "reduction", "empty_mean",   "normalizer",  "targets",
                                      "ignored",      "bad",       "ignore_index", "target_type", "target_stride",
                                      "upstream",     "gradient",  "gradient_stride", "outputs"};
// In the order of their enumerators.
constexpr const char* kTargets[] = {"uniform", "peak"};
constexpr const char* kWeights[] = {"none", "uniform", "normal"};
constexpr const char* kReductions[] = {"none", "sum", "mean"};
constexpr const char* kEmptyMeans[] = {"zero", "nan"};
constexpr const char* kTargetTypes[] = {"i64", "i32"};
constexpr const char* kGradients[] = {"none", "in_place", "out_of_place"};
constexpr const char* kOutputs[] = {"loss", "lse", "z_loss", "argmax", "bad_targets", "state"};

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& instead) {
  throw UsageError(std::string(key) + "=" + in_quotes(value) + instead);
}

template <std::size_t kCount>
int word(std::string_view key, std::string_view text, const char* const (&words)[kCount]) {
  const auto found = std::find(std::begin(words), std::end(words), text);
  if (found == std::end(words)) refuse(key, text, suggestion(text, {std::begin(words), std::end(words)}));
  return static_cast<int>(found - std::begin(words));
}

double as_f32(double value) { return reference::round_to(PLUSMAX_F32, value); }

std::optional<double> read_value(std::string_view text, double) { return parse_number(text); }
std::optional<std::int64_t> read_value(std::string_view text, std::int64_t) { return parse_integer(text); }
std::string value_text(double value) { return number_text(value); }
std::string value_text(std::int64_t value) { return std::to_string(value); }

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    items.push_back(trim(text.substr(begin, end - begin)));
  }
  return items;
}

template <class T>
List<T> read_list(std::string_view key, std::string_view text, std::int64_t size, const char* of) {
  if (!text.ends_with(']'))
    refuse(key, text, ": write [1,2], with ... at its end to repeat it, INDEX:VALUE for one apart");
  const std::string_view inner = trim(text.substr(1, text.size() - 2));
  List<T> list;
  for (const std::string_view item : inner.empty() ? std::vector<std::string_view>() : items_of(inner)) {
    if (list.repeats) refuse(key, text, ": '...' is not at the end of the list: move it there");
    if (item == "...") {
      list.repeats = true;
      continue;
    }
    const std::size_t colon = item.find(':');
    const auto index = colon == item.npos ? std::nullopt : parse_integer(item.substr(0, colon));
    const auto value = read_value(colon == item.npos ? item : item.substr(colon + 1), T());
    if (!value || (colon != item.npos && !index))
      refuse(key, item, ": write a number, INDEX:NUMBER, or ... at the end");
    if (!index) {
      list.values.push_back(*value);
      continue;
    }
    if (*index < 0 || *index >= size)
      refuse(key, item, ": there are " + std::to_string(size) + " " + of + ", counted from 0");
    for (const auto& [other, known] : list.apart)
      if (other == *index) refuse(key, item, ": " + std::to_string(other) + " has a value already: keep one");
    list.apart.emplace_back(*index, *value);
  }
  const auto given = static_cast<std::int64_t>(list.values.size());
  if (list.repeats ? given == 0 || given > std::max<std::int64_t>(size, 1) : given != size)
    throw UsageError(std::string(key) + ": " + std::to_string(given) + " values for " + std::to_string(size) + " " +
                     of + ": give one each, or end the list with '...' to repeat it");
  std::sort(list.apart.begin(), list.apart.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  return list;
}

template <class T>
std::string list_text(const List<T>& list) {
  std::string out;
  const auto add = [&](const std::string& item) { out += (out.empty() ? "" : ",") + item; };
  for (const auto& [index, value] : list.apart) add(std::to_string(index) + ":" + value_text(value));
  for (const T value : list.values) add(value_text(value));
  if (list.repeats) add("...");
  return "[" + out + "]";
}

double number(std::string_view key, std::string_view text, double least, double most, bool open = false) {
  const auto value = parse_number(text);
  if (!value || !std::isfinite(*value) || *value < least || *value > most ||
      (open && (*value == least || *value == most)))
    refuse(key, text,
           ": use a finite number " + std::string(open && least == 0 ? "above " : "from ") + number_text(least) +
               (std::isfinite(most) ? " to " + number_text(most) : ""));
  return *value;
}

std::int64_t integer(std::string_view key, std::string_view text) {
  const auto value = parse_integer(text);
  if (!value) refuse(key, text, ": write a whole number such as -100 or 2^31");
  return *value;
}

unsigned outputs(std::string_view text) {
  unsigned bits = 0;
  if (text == "none") return bits;
  for (const std::string_view item : items_of(text)) bits |= 1u << word("outputs", item, kOutputs);
  return bits;
}

void read(Options& out, const Case& of, std::string_view key, std::string_view text) {
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
    out.weight_list = read_list<double>(key, text, of.cols, "classes");
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
    const auto both = read_list<double>(key, text, 2, "numbers, Z and num_valid");
    out.normalizer = {both.at(0), both.at(1)};
  } else if (key == "targets" && text.starts_with('[')) {
    out.targets = Targets::list;
    out.target_list = read_list<std::int64_t>(key, text, of.rows, "rows");
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
  } else if (key == "gradient") {
    out.gradient = static_cast<Gradient>(word(key, text, kGradients));
  } else if (key == "gradient_stride") {
    out.gradient_stride = integer(key, text);
    if (out.gradient_stride < of.cols || out.gradient_stride > kLargestSize / std::max<std::int64_t>(of.rows, 1))
      refuse(key, text, ": use cols or more, up to 2^40 elements in all");
  } else if (key == "outputs") {
    out.outputs = outputs(text);
  } else {
    refuse(key, text, ": cross_entropy has no such option");
  }
}

void check_targets(const Options& o, const Case& of) {
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

void check(const Options& o, const Case& of) {
  if (of.col_stride != 1)
    throw UsageError("col_stride " + std::to_string(of.col_stride) + ": cross_entropy takes col_stride 1 only");
  if (of.lse_stride != 1)
    throw UsageError("out_stride " + std::to_string(of.lse_stride) +
                     ": results of cross_entropy lie one after the other; leave it out");
  if (o.gradient_stride > 0 && o.gradient != Gradient::out_of_place)
    throw UsageError("gradient_stride " + std::to_string(o.gradient_stride) + " without gradient=out_of_place: add that");
  check_targets(o, of);
  if (o.zero_weights > 0 && o.weights != Weights::uniform && o.weights != Weights::normal)
    throw UsageError("zero_weights " + number_text(o.zero_weights) +
                     " without drawn weights: add weights=uniform or normal");
  if (o.reduction != Reduction::mean && (o.nan_if_empty || o.normalizer))
    throw UsageError(std::string(o.normalizer ? "normalizer" : "empty_mean") +
                     " without reduction=mean divides nothing: add that, or leave it out");
  if (o.gradient == Gradient::in_place && of.row_stride == 0 && of.rows > 1)
    throw UsageError("gradient=in_place with stride 0: every row would be written over row 0; use " +
                     std::to_string(of.cols) + " or more");
  if (o.outputs == 0 && o.gradient == Gradient::none && o.reduction == Reduction::none)
    throw UsageError("outputs=none, without gradient and reduction: ask for something");
}

std::string outputs_text(unsigned bits) {
  std::string out;
  for (std::size_t i = 0; i < std::size(kOutputs); ++i)
    if (bits & (1u << i)) out += (out.empty() ? "" : ",") + std::string(kOutputs[i]);
  return out.empty() ? "none" : out;
}

std::string text_of(const Options& o, std::string_view key) {
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
  if (key == "upstream") return o.upstream == Upstream::normal ? "normal" : number_text(o.upstream_value);
  if (key == "gradient") return kGradients[static_cast<int>(o.gradient)];
  if (key == "gradient_stride") return std::to_string(o.gradient_stride);
  return outputs_text(o.outputs);
}

}  // namespace

std::span<const std::string_view> keys() { return kKeys; }

Options options_of(const Case& of) {
  Options out;
  for (const auto& [key, text] : of.options) read(out, of, key, text);
  check(out, of);
  return out;
}

std::vector<std::pair<std::string, std::string>> canonical(const Case& of) { return written(options_of(of)); }

std::vector<std::pair<std::string, std::string>> written(const Options& given) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string_view key : kKeys)
    if (std::string text = text_of(given, key); text != text_of(Options(), key)) out.emplace_back(key, std::move(text));
  return out;
}

}  // namespace plusmax::properties::cross_entropy
