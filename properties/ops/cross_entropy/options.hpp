// What a case line of cross_entropy says beyond its logits. Defaults are left out.
//
//   cross_entropy f32 data=[[1,2],[3,0.4]] targets=[-100,1] smoothing=0.1 reduction=mean weights=[0.2,0.3]
//   cross_entropy bf16 rows=8 cols=128256 fill=peak_label targets=peak ignored=0.25 gradient=in_place
//
// Lists have a value a row (weights: a class). "..." at the end repeats them, and INDEX:VALUE is one apart:
// targets=[16384:5,0,...].
#pragma once

#include "properties/case.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties::gen {
class Draw;
}

namespace plusmax::properties::cross_entropy {

template <class T>
struct List {
  std::vector<T> values;
  bool repeats = false;
  std::vector<std::pair<std::int64_t, T>> apart;

  T at(std::int64_t index) const {
    for (const auto& [where, value] : apart)
      if (where == index) return value;
    return values[static_cast<std::size_t>(index) % values.size()];
  }
};

enum class Targets { uniform, peak, list };  // any class; the first maximum of the row; as given
enum class Weights { none, uniform, normal, list };
enum class Reduction { none, sum, mean };
enum class Gradient { none, in_place, out_of_place };
enum class Upstream { one, number, normal };
// Bits of Options::outputs; the reduced loss is written whenever there is a reduction.
enum Outputs : unsigned { kLoss = 1, kLse = 2, kZLoss = 4, kArgmax = 8, kBadTargets = 16, kState = 32 };

struct Options {
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
  Gradient gradient = Gradient::none;
  std::int64_t gradient_stride = 0;  // elements, of a gradient out of place; 0: that of the logits
  unsigned outputs = kLoss;
};

std::span<const std::string_view> keys();  // in the order in which they are printed
// Both throw UsageError: a value that cannot be read, or options that contradict each other or the case.
Options options_of(const Case&);
std::vector<std::pair<std::string, std::string>> canonical(const Case&);
std::vector<std::pair<std::string, std::string>> written(const Options&);  // as a Case keeps them
void draw(gen::Draw&, Case&);

// The data, pure functions of the line: the same in any order, whatever other options say.
std::int64_t target_of(const Case&, const Options&, std::int64_t row, std::span<const double> logits);
double weight_of(const Case&, const Options&, std::int64_t column);  // an exact f32; 1 without weights
double upstream_of(const Case&, const Options&, std::int64_t row);   // an exact f32

}  // namespace plusmax::properties::cross_entropy
