// What a case line of cross_entropy says beyond its logits. Defaults are left out.
//
//   cross_entropy f32 data=[[1,2],[3,0.4]] targets=[-100,1] smoothing=0.1 reduction=mean weights=[0.2,0.3]
//   cross_entropy bf16 rows=8 cols=128256 fill=peak_label targets=peak ignored=0.25 gradient=in_place
//
// Lists have a value a row (weights: a class). "..." at the end repeats them, and INDEX:VALUE is one apart:
// targets=[16384:5,0,...].
#pragma once

#include "properties/losses/options.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties::cross_entropy {

using namespace losses;

enum class Gradient { none, in_place, out_of_place };
// Bits of Options::outputs; the reduced loss is written whenever there is a reduction.
enum Outputs : unsigned { kLoss = 1, kLse = 2, kZLoss = 4, kArgmax = 8, kBadTargets = 16, kState = 32 };

struct Options : LossOptions {
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

}  // namespace plusmax::properties::cross_entropy
