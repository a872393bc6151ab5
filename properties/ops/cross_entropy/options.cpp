#include "properties/ops/cross_entropy/options.hpp"

#include <algorithm>
#include <iterator>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr std::string_view kKeys[] = {"gradient", "gradient_stride", "outputs"};
// In the order of their enumerators.
constexpr const char* kGradients[] = {"none", "in_place", "out_of_place"};
constexpr const char* kOutputs[] = {"loss", "lse", "z_loss", "argmax", "bad_targets", "state"};

void read(Options& out, const Case& of, std::string_view key, std::string_view text) {
  if (read_loss_option(out, of, key, text)) return;
  if (key == "gradient") {
    out.gradient = static_cast<Gradient>(word(key, text, kGradients));
  } else if (key == "gradient_stride") {
    out.gradient_stride = integer(key, text);
    if (out.gradient_stride < of.cols || out.gradient_stride > kLargestSize / std::max<std::int64_t>(of.rows, 1))
      refuse(key, text, ": use cols or more, up to 2^40 elements in all");
  } else if (key == "outputs") {
    out.outputs = bits_of(key, text, kOutputs);
  } else {
    refuse(key, text, ": cross_entropy has no such option");
  }
}

void check(const Options& o, const Case& of) {
  if (of.col_stride != 1)
    throw UsageError("col_stride " + std::to_string(of.col_stride) + ": cross_entropy takes col_stride 1 only");
  if (of.lse_stride != 1)
    throw UsageError("out_stride " + std::to_string(of.lse_stride) +
                     ": results of cross_entropy lie one after the other; leave it out");
  if (o.gradient_stride > 0 && o.gradient != Gradient::out_of_place)
    throw UsageError("gradient_stride " + std::to_string(o.gradient_stride) + " without gradient=out_of_place: add that");
  check_loss_options(o, of);
  if (o.gradient == Gradient::in_place && of.row_stride == 0 && of.rows > 1)
    throw UsageError("gradient=in_place with stride 0: every row would be written over row 0; use " +
                     std::to_string(of.cols) + " or more");
  if (o.outputs == 0 && o.gradient == Gradient::none && o.reduction == Reduction::none)
    throw UsageError("outputs=none, without gradient and reduction: ask for something");
}

std::string text_of(const Options& o, std::string_view key) {
  if (key == "gradient") return kGradients[static_cast<int>(o.gradient)];
  if (key == "gradient_stride") return std::to_string(o.gradient_stride);
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
  for (const auto& [key, text] : of.options) read(out, of, key, text);
  check(out, of);
  return out;
}

std::vector<std::pair<std::string, std::string>> canonical(const Case& of) { return written(options_of(of)); }

std::vector<std::pair<std::string, std::string>> written(const Options& given) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string_view key : keys())
    if (std::string text = text_of(given, key); text != text_of(Options(), key)) out.emplace_back(key, std::move(text));
  return out;
}

}  // namespace plusmax::properties::cross_entropy
