// What case lines of operations with a loss have in common: the formula, the targets, the upstream gradient.
#pragma once

#include "properties/losses/text.hpp"

#include <span>

namespace plusmax::properties::gen {
class Draw;
}

namespace plusmax::properties::losses {

enum class Targets { uniform, peak, list };  // any class; the first maximum of the row; as given
enum class Weights { none, uniform, normal, list };
enum class Reduction { none, sum, mean };
enum class Upstream { one, number, normal };

struct LossOptions {
  double smoothing = 0, z_loss = 0, softcap = 0, scale = 1;
  Weights weights = Weights::none;
  List<double> weight_list;
  double zero_weights = 0;  // share of the drawn weights that is 0
  Reduction reduction = Reduction::none;
  bool nan_if_empty = false;                            // mean over no row: NaN instead of 0
  std::optional<std::pair<double, double>> normalizer;  // {Z, num_valid}
  Targets targets = Targets::uniform;
  List<std::int64_t> target_list;
  double ignored = 0, bad = 0;  // shares of the drawn targets: ignore_index; no class at all
  std::int64_t ignore_index = -100;
  bool int32_targets = false;
  std::int64_t target_stride = 1;
  Upstream upstream = Upstream::one;
  double upstream_value = 1;
};

// The keys of these and of an operation's own, in the order in which they are printed.
std::vector<std::string_view> keys_with(std::span<const std::string_view> own);
// All three throw UsageError: a value that cannot be read, or options that contradict each other or the case.
bool read_loss_option(LossOptions&, const Case&, std::string_view key, std::string_view text);  // whether it is one
void check_loss_options(const LossOptions&, const Case&);
std::string loss_option_text(const LossOptions&, std::string_view key);
void draw_loss_options(gen::Draw&, const Case&, LossOptions&);

}  // namespace plusmax::properties::losses
