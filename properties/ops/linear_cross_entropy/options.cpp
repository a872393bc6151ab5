#include "properties/ops/linear_cross_entropy/options.hpp"

#include "properties/case_lists.hpp"
#include "properties/fill.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr std::string_view kKeys[] = {
    "features",         "hidden",         "weight",   "bias",           "hidden_stride",
    "weight_stride",    "weight_phase",   "gradient", "dhidden_stride", "dweight_stride",
    "dweight_type",     "add_to_dweight", "chunk",    "chunk_dtype",    "accumulate_in_dweight_type",
    "max_valid_tokens", "budget",         "outputs"};
// In the order of their enumerators and bits.
constexpr const char* kHidden[] = {"normal", "average", "one_hot", "zero"};
constexpr const char* kBiases[] = {"none", "normal", "masked", "offset", "peak"};
constexpr const char* kGradients[] = {"dhidden", "dweight", "dbias"};
constexpr const char* kOutputs[] = {"loss", "lse", "z_loss", "argmax", "bad_targets", "excess_tokens"};
constexpr const char* kTypes[] = {"f32", "dtype"};
constexpr const char* kNoYes[] = {"no", "yes"};

std::string text(std::int64_t value) { return std::to_string(value); }

void demand_stored(std::string_view key, const Case& of, double value) {
  if (std::isfinite(value) && !std::isfinite(reference::round_to(of.dtype, value)))
    refuse(key, number_text(value), std::string(": is beyond the largest ") + reference::name_of(of.dtype));
}

Elements read_matrix(std::string_view key, std::string_view given, std::int64_t rows, const char* of, const Case& c) {
  Elements all = parse_data(given);
  if (static_cast<std::int64_t>(all.size()) != rows)
    refuse(key, given, ": " + std::to_string(all.size()) + " rows for " + text(rows) + " " + of + ": give one each");
  for (const auto& row : all)
    for (const double value : row) {
      if (std::isinf(value)) refuse(key, given, ": no element may be infinite; a bias of -inf masks a class");
      demand_stored(key, c, value);
    }
  return all;
}

std::int64_t natural(std::string_view key, std::string_view given) {
  const std::int64_t value = integer(key, given);
  if (value < 0 || value > kLargestSize) refuse(key, given, ": use 0 or more, up to 2^40");
  return value;
}

bool read_inputs(Options& out, const Case& of, std::string_view key, std::string_view given) {
  if (key == "features") {
    out.features = natural(key, given);
    if (out.features < 1) refuse(key, given, ": use 1 or more");
  } else if (key == "hidden" && given.starts_with('[')) {
    out.hidden = Hidden::list;
    out.hidden_list = read_matrix(key, given, of.rows, "tokens", of);
  } else if (key == "hidden") {
    out.hidden = static_cast<Hidden>(word(key, given, kHidden));
  } else if (key == "weight") {
    if (!given.starts_with('['))
      refuse(key, given, ": write weight=[[1,2],[3,4]], a row a class; class weights are weights=");
    out.weight_rows = read_matrix(key, given, of.cols, "classes", of);
  } else if (key == "bias" && given.starts_with('[')) {
    out.bias = Bias::list;
    out.bias_list = read_numbers(key, given, of.cols, "classes");
    for (const double value : out.bias_list.values) demand_stored(key, of, value);
    for (const auto& [column, value] : out.bias_list.apart) demand_stored(key, of, value);
  } else if (key == "bias") {
    out.bias = static_cast<Bias>(word(key, given, kBiases));
  } else if (key == "hidden_stride") {
    out.hidden_stride = natural(key, given);
  } else if (key == "weight_stride") {
    out.weight_stride = natural(key, given);
  } else if (key == "weight_phase") {
    out.weight_phase = natural(key, given);
  } else {
    return false;
  }
  return true;
}

bool read_gradients(Options& out, std::string_view key, std::string_view given) {
  if (key == "gradient") {
    out.gradients = bits_of(key, given, kGradients);
  } else if (key == "dhidden_stride") {
    out.dhidden_stride = natural(key, given);
  } else if (key == "dweight_stride") {
    out.dweight_stride = natural(key, given);
  } else if (key == "dweight_type") {
    out.own_dweight_type = word(key, given, kTypes) == 1;
  } else if (key == "add_to_dweight") {
    out.add_to_dweight = word(key, given, kNoYes) == 1;
  } else {
    return false;
  }
  return true;
}

void read(Options& out, const Case& of, std::string_view key, std::string_view given) {
  if (read_loss_option(out, of, key, given) || read_inputs(out, of, key, given) || read_gradients(out, key, given))
    return;
  if (key == "chunk") {
    out.chunk = natural(key, given);
  } else if (key == "chunk_dtype") {
    out.own_chunk_type = word(key, given, kTypes) == 1;
  } else if (key == "accumulate_in_dweight_type") {
    out.accumulate_in_dweight_type = word(key, given, kNoYes) == 1;
  } else if (key == "max_valid_tokens") {
    out.max_valid_tokens = natural(key, given);
    if (out.max_valid_tokens > of.rows)
      refuse(key, given, ": there are " + text(of.rows) + " tokens; use that at most, 0 for all");
  } else if (key == "budget") {
    out.budget = natural(key, given);
  } else if (key == "outputs") {
    out.outputs = bits_of(key, given, kOutputs);
  } else {
    refuse(key, given, ": linear_cross_entropy has no such option");
  }
}

// The features that the lists have, where there are lists.
void settle_features(Options& o, bool given) {
  for (const auto& [key, list] :
       {std::pair<const char*, const Elements*>{"hidden", &o.hidden_list}, {"weight", &o.weight_rows}}) {
    if (list->empty()) continue;
    const auto width = static_cast<std::int64_t>(list->front().size());
    if (width < 1 || (given && width != o.features))
      throw UsageError(std::string(key) + " has " + text(width) + " features" +
                       (given ? ", features is " + text(o.features) : "") + ": make them equal, 1 or more");
    o.features = width;
    given = true;
  }
}

void check_layout(const Options& o, const Case& of) {
  if (of.col_stride != 1 || of.row_stride != of.cols)
    throw UsageError("stride: the logits of linear_cross_entropy lie nowhere; use hidden_stride or weight_stride");
  if (of.lse_stride != 1)
    throw UsageError("out_stride " + text(of.lse_stride) +
                     ": results of linear_cross_entropy lie one after the other; leave it out");
  const auto check = [&](const char* key, std::optional<std::int64_t> stride, std::int64_t lines, bool repeats) {
    if (!stride || lines <= 1 || (repeats && *stride == 0)) return;
    if (*stride < o.features || *stride > kLargestSize / lines)
      throw UsageError(std::string(key) + " " + text(*stride) + ": use features " + text(o.features) + " or more" +
                       (repeats ? ", or 0 to repeat one row" : "") + ", up to 2^40 elements in all");
  };
  check("hidden_stride", o.hidden_stride, of.rows, true);
  check("weight_stride", o.weight_stride, of.cols, false);
  check("dhidden_stride", o.dhidden_stride, of.rows, false);
  check("dweight_stride", o.dweight_stride, of.cols, false);
  for (const auto& [name, lines] : {std::pair{"rows", of.rows}, {"cols", of.cols}})
    if (lines > 0 && o.features > kLargestSize / lines)
      throw UsageError(std::string(name) + " " + text(lines) + " of " + text(o.features) +
                       " features: use 2^40 elements at most");
  const std::int64_t phases = 256 / static_cast<std::int64_t>(reference::size_of(of.dtype));
  if (o.weight_phase >= phases)
    throw UsageError("weight_phase " + text(o.weight_phase) + ": use 0 to " + text(phases - 1));
}

void check_weight(const Options& o, const Case& of) {
  if (!o.weight_rows.empty() &&
      (of.fill != Case{}.fill || !of.parameters.empty() || !of.set.empty() || !of.data.empty()))
    throw UsageError("weight together with fill, set or data, of which it would be made: use one of them");
  const auto demand_finite = [](double value) {
    if (std::isinf(value))
      throw UsageError("an infinite element of the weight has no result: mask a class by bias=[...] with -inf");
  };
  for (const Patch& patch : of.set) demand_finite(patch.value);
  for (const auto& row : of.data)
    for (const double value : row) demand_finite(value);
  const bool repeated = o.hidden_stride == 0 && of.rows > 1;
  for (std::size_t r = 1; repeated && r < o.hidden_list.size(); ++r)
    for (std::size_t k = 0; k < o.hidden_list[r].size(); ++k)
      if (number_text(o.hidden_list[r][k]) != number_text(o.hidden_list[0][k]))
        throw UsageError("hidden: row " + std::to_string(r) + " differs from row 0, which hidden_stride 0 repeats");
}

void check_gradients(const Options& o) {
  const auto demand = [&](const char* key, bool given, unsigned of, const char* what) {
    if (given && (o.gradients & of) == 0)
      throw UsageError(std::string(key) + " without gradient=" + what + ": add that");
  };
  demand("dhidden_stride", o.dhidden_stride.has_value(), kDhidden, "dhidden");
  demand("dweight_stride", o.dweight_stride.has_value(), kDweight, "dweight");
  demand("dweight_type", o.own_dweight_type, kDweight | kDbias, "dweight or dbias");
  demand("add_to_dweight", o.add_to_dweight, kDweight | kDbias, "dweight or dbias");
  demand("accumulate_in_dweight_type", o.accumulate_in_dweight_type, kDweight, "dweight");
}

void check(const Options& o, const Case& of) {
  check_layout(o, of);
  check_loss_options(o, of);
  check_weight(o, of);
  check_gradients(o);
  if (o.outputs == 0 && o.gradients == 0 && o.reduction == Reduction::none)
    throw UsageError("outputs=none, without gradient and reduction: ask for something");
}

std::string stride_text(const std::optional<std::int64_t>& stride) { return stride ? text(*stride) : ""; }

std::string text_of(const Options& o, std::string_view key) {
  const bool listed = !o.hidden_list.empty() || !o.weight_rows.empty();
  if (key == "features") return text(listed ? Options().features : o.features);  // the lists say it
  if (key == "hidden") return o.hidden == Hidden::list ? data_text(o.hidden_list) : kHidden[static_cast<int>(o.hidden)];
  if (key == "weight") return o.weight_rows.empty() ? "" : data_text(o.weight_rows);
  if (key == "bias") return o.bias == Bias::list ? list_text(o.bias_list) : kBiases[static_cast<int>(o.bias)];
  if (key == "hidden_stride") return stride_text(o.hidden_stride);
  if (key == "weight_stride") return stride_text(o.weight_stride);
  if (key == "weight_phase") return text(o.weight_phase);
  if (key == "gradient") return bits_text(o.gradients, kGradients);
  if (key == "dhidden_stride") return stride_text(o.dhidden_stride);
  if (key == "dweight_stride") return stride_text(o.dweight_stride);
  if (key == "dweight_type") return kTypes[o.own_dweight_type];
  if (key == "add_to_dweight") return kNoYes[o.add_to_dweight];
  if (key == "chunk") return text(o.chunk);
  if (key == "chunk_dtype") return kTypes[o.own_chunk_type];
  if (key == "accumulate_in_dweight_type") return kNoYes[o.accumulate_in_dweight_type];
  if (key == "max_valid_tokens") return text(o.max_valid_tokens);
  if (key == "budget") return text(o.budget);
  if (key == "outputs") return bits_text(o.outputs, kOutputs);
  return loss_option_text(o, key);
}

}  // namespace

std::span<const std::string_view> keys() {
  static const std::vector<std::string_view> all = keys_with(kKeys);
  return all;
}

Options options_of(const Case& of) {
  Options out;
  bool features_given = false;
  for (const auto& [key, given] : of.options) {
    read(out, of, key, given);
    features_given = features_given || key == "features";
  }
  settle_features(out, features_given);
  check(out, of);
  return out;
}

std::vector<std::pair<std::string, std::string>> canonical(const Case& of) { return written(options_of(of)); }

std::vector<std::pair<std::string, std::string>> written(const Options& given) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string_view key : keys())
    if (std::string value = text_of(given, key); value != text_of(Options(), key))
      out.emplace_back(key, std::move(value));
  return out;
}

}  // namespace plusmax::properties::linear_cross_entropy
