// What a case line of linear_cross_entropy says beyond its shape: rows are tokens, cols the vocabulary. Defaults are
// left out.
//
//   linear_cross_entropy f32 rows=1 cols=2 hidden=[[1]] weight=[[0],[0]] bias=[3,0] targets=[0] gradient=dhidden,dbias
//   linear_cross_entropy bf16 rows=9 cols=300 fill=plateau features=21 hidden=average bias=normal chunk=4
//
// Column k of the weight is row k of the fill (of the data, repeated), so that a token whose X is one-hot has the
// logits of a fill, one whose X is an average has what lies between them, and one with normal X a mixture: then the
// weight is divided by sqrt(features). Infinities of a fill are 0 in a weight: a class is masked by its bias.
#pragma once

#include "properties/losses/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

using namespace losses;

enum class Hidden { normal, average, one_hot, zero, list };
enum class Bias { none, normal, masked, offset, peak, list };
// Bits of Options::gradients, and of Options::outputs; the reduced loss is written whenever there is a reduction.
enum Gradients : unsigned { kDhidden = 1, kDweight = 2, kDbias = 4 };
enum Outputs : unsigned { kLoss = 1, kLse = 2, kZLoss = 4, kArgmax = 8, kBadTargets = 16, kExcessTokens = 32 };

using Elements = std::vector<std::vector<double>>;

struct Options : LossOptions {
  std::int64_t features = 16;
  Hidden hidden = Hidden::normal;
  Elements hidden_list, weight_rows;  // [tokens][features], [vocab][features]; empty if not given
  Bias bias = Bias::none;
  List<double> bias_list;
  std::optional<std::int64_t> hidden_stride, weight_stride, dhidden_stride, dweight_stride;  // elements; else features
  std::int64_t weight_phase = 0;  // elements of W and of dW; `phase` of a case is that of X and dX
  unsigned gradients = 0;
  bool own_dweight_type = false;  // dW and dbias in the type of X, else f32
  bool add_to_dweight = false;
  std::int64_t chunk = 0;       // tokens, or classes where the variant slices the vocabulary
  bool own_chunk_type = false;  // logits of a chunk in the type of X, else f32
  bool accumulate_in_dweight_type = false;
  std::int64_t max_valid_tokens = 0;
  std::int64_t budget = 0;  // bytes of workspace; 0: any
  unsigned outputs = kLoss;
};

std::span<const std::string_view> keys();  // in the order in which they are printed
// Both throw UsageError: a value that cannot be read, or options that contradict each other or the case.
Options options_of(const Case&);
std::vector<std::pair<std::string, std::string>> canonical(const Case&);
std::vector<std::pair<std::string, std::string>> written(const Options&);  // as a Case keeps them
void draw(gen::Draw&, Case&);

}  // namespace plusmax::properties::linear_cross_entropy
