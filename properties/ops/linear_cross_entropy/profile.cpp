#include "properties/ops/linear_cross_entropy/profile.hpp"

#include "reference/dtype.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr plusmax_dtype kDtypes[] = {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16};

// Edges: a chunk less one token, a chunk, one token more, many chunks; one class, a slice of 128 and one more; one
// feature, a line of 128 less one and one more, as long as a chain of the host's product.
struct Shape {
  std::int64_t tokens, vocab, features, chunk;
};
constexpr Shape kShapes[] = {{9, 67, 21, 4},  {0, 10, 4, 0},    {1, 1, 1, 0},      {3, 129, 1, 4},
                             {4, 128, 8, 4},  {5, 257, 3, 4},   {33, 5, 17, 1},    {7, 131, 127, 3},
                             {2, 40, 129, 0}, {130, 12, 5, 64}, {12, 300, 24, 128}};
// Where X, W and their gradients lie.
constexpr std::string_view kPlaces[] = {"", "hidden_stride=+1 weight_stride=+3", "phase=1 weight_phase=3",
                                        "hidden_stride=+5 weight_stride=+0 phase=3 weight_phase=8"};
// Each option alone, to be blamed, then together.
constexpr std::string_view kOptions[] = {
    "",
    "bias=normal smoothing=0.1 reduction=mean",
    "weights=uniform reduction=mean ignored=0.25",
    "z_loss=1e-3 outputs=loss,lse,z_loss reduction=sum",
    "softcap=5 bias=offset",
    "scale=0.7 upstream=normal outputs=loss,lse,argmax",
    "bias=masked reduction=mean normalizer=[110.5,110]",
    "bias=peak targets=peak upstream=3",
    "ignored=0.5 bad=0.1 target_type=i32 target_stride=3 ignore_index=1 outputs=loss,lse,bad_targets reduction=mean",
    "smoothing=0.5 z_loss=1e-2 softcap=30 scale=0.5 weights=normal zero_weights=0.25 bias=normal reduction=mean "
    "upstream=normal ignored=0.25 outputs=loss,lse,z_loss,argmax,bad_targets,excess_tokens",
    // With every other class masked, lse is the stored logit.
    "bias=[0:0.75,-inf,...] targets=[0,...] outputs=loss,lse,argmax",
    "ignored=1 reduction=mean"};
constexpr std::string_view kGradients[] = {"gradient=dhidden,dweight,dbias", "gradient=dhidden,dweight",
                                           "gradient=none", "gradient=dweight,dbias add_to_dweight=yes",
                                           "gradient=dhidden"};
// What is stored in 16 bits where the operands are.
constexpr std::string_view kTypes[] = {"", "chunk_dtype=dtype", "dweight_type=dtype",
                                       "chunk_dtype=dtype dweight_type=dtype accumulate_in_dweight_type=yes"};
// Logits near each other, far apart, beyond what an exponential holds, with large cancelling or equal products.
constexpr std::string_view kLogits[] = {"",
                                        "hidden=zero",
                                        "fill=plateau depth=9.7 hidden=one_hot",
                                        "fill=offset value=95 sigma=1 hidden=average",
                                        "fill=peak hidden=one_hot targets=peak",
                                        "fill=two_clusters hidden=average",
                                        "sigma=10",
                                        "fill=max_last hidden=one_hot",
                                        "fill=heavy_tail",
                                        "fill=alternating hidden=average",
                                        "fill=tiny_range"};

class Builder {
 public:
  explicit Builder(std::span<const plusmax_dtype> dtypes) : dtypes_(dtypes) {}

  // `variety` chooses what is not given: places, gradients, types and the seed.
  void add(plusmax_dtype dtype, const Shape& shape, std::string_view tail, std::size_t variety) {
    if (std::find(dtypes_.begin(), dtypes_.end(), dtype) == dtypes_.end()) return;
    const std::string_view gradient = kGradients[variety % std::size(kGradients)];
    std::string line = std::string("linear_cross_entropy ") + reference::name_of(dtype) +
                       " rows=" + text(shape.tokens) + " cols=" + text(shape.vocab) +
                       " features=" + text(shape.features) + " seed=" + text(variety + 1);
    if (shape.chunk > 0) line += " chunk=" + text(shape.chunk);
    line += placed(kPlaces[variety % std::size(kPlaces)], shape);
    for (const std::string_view more : {tail, gradient, types(tail, gradient, variety)})
      if (!more.empty()) line += " " + std::string(more);
    cases.push_back(parse_case(line));
  }

  std::vector<Case> cases;

 private:
  template <class T>
  static std::string text(T value) {
    return std::to_string(value);
  }

  // "=+N": N elements between the rows.
  static std::string placed(std::string_view place, const Shape& shape) {
    std::string out = place.empty() ? "" : " ";
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] != '+') {
        out += place[i];
        continue;
      }
      out += text(shape.features + (place[++i] - '0'));
    }
    return out;
  }
  // Large logits stay in f32: stored in 16 bits nothing is left of what they are compared by.
  static std::string_view types(std::string_view tail, std::string_view gradient, std::size_t variety) {
    const std::string_view wanted = kTypes[variety / 2 % std::size(kTypes)];
    const auto has = [](std::string_view text, std::string_view part) { return text.find(part) != text.npos; };
    if ((has(tail, "value=95") || has(tail, "heavy_tail")) && has(wanted, "chunk_dtype")) return "";
    return has(gradient, "dweight") || !has(wanted, "dweight") ? wanted : "";
  }

  std::span<const plusmax_dtype> dtypes_;
};

void add_smoke(Builder& list) {
  std::size_t variety = 0;
  for (const plusmax_dtype dtype : kDtypes) {
    for (const Shape& shape : kShapes)
      list.add(dtype, shape, kOptions[variety % std::size(kOptions)], variety), ++variety;
    for (const std::string_view options : kOptions) list.add(dtype, {9, 67, 21, 4}, options, variety++);
    for (const std::string_view logits : kLogits) list.add(dtype, {6, 70, 12, 0}, logits, variety++);
  }
  list.add(PLUSMAX_F32, {9, 20, 6, 4},
           "max_valid_tokens=7 ignored=0.25 outputs=loss,lse,argmax,excess_tokens reduction=mean", 0);
  list.add(PLUSMAX_BF16, {9, 20, 6, 4}, "max_valid_tokens=2 outputs=loss,lse,argmax,excess_tokens reduction=mean", 0);
  list.add(PLUSMAX_F32, {5, 20, 6, 0}, "budget=1000000 hidden_stride=0", 0);
}

void add_ci(Builder& list) {
  std::size_t variety = 3;
  for (const plusmax_dtype dtype : kDtypes) {
    for (const Shape& shape : kShapes)
      for (const std::string_view options : {kOptions[1], kOptions[9]}) list.add(dtype, shape, options, variety++);
    // Every other one in f16, the rest in bf16: both meet all of them in the narrower shape.
    for (std::size_t i = 0; i < std::size(kLogits); ++i, ++variety)
      if (dtype == PLUSMAX_F32 || (dtype == PLUSMAX_F16) == (i % 2 == 0)) list.add(dtype, {20, 517, 40, 7}, kLogits[i], variety);
  }
}

void add_full(Builder& list) {
  std::size_t variety = 1;
  for (const plusmax_dtype dtype : kDtypes) {
    for (const std::string_view options : kOptions) list.add(dtype, {64, 4099, 96, 17}, options, variety++);
    for (const std::string_view logits : kLogits) list.add(dtype, {33, 8193, 64, 16}, logits, variety++);
  }
}

}  // namespace

std::vector<Case> profile(Profile profile, std::span<const plusmax_dtype> dtypes) {
  Builder list(dtypes);
  add_smoke(list);
  if (profile != Profile::smoke) add_ci(list);
  if (profile == Profile::full) add_full(list);
  return list.cases;
}

}  // namespace plusmax::properties::linear_cross_entropy
