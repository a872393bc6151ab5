#include "properties/ops/cross_entropy/profile.hpp"

#include <iterator>
#include <string>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr plusmax_dtype kDtypes[] = {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64};

// Each option alone, to be blamed, then together. Every one of them meets every family of logits within a few seeds.
constexpr std::string_view kOptions[] = {
    "",
    "smoothing=0.1",
    "weights=uniform reduction=mean",
    "z_loss=1e-4 outputs=loss,lse,z_loss",
    "softcap=30",
    "scale=0.7",
    "upstream=3",
    "targets=peak",
    "ignored=0.5 reduction=mean",
    "smoothing=0.1 weights=normal zero_weights=0.25 reduction=sum",
    "upstream=normal targets=peak reduction=mean outputs=loss,lse,argmax,bad_targets,state",
    "smoothing=0.999 z_loss=1 targets=peak",
    "softcap=30 smoothing=0.1 scale=2 upstream=-1",
    "target_type=i32 target_stride=3 ignore_index=1 bad=0.1 outputs=loss,lse,bad_targets reduction=mean",
    "smoothing=0.5 z_loss=1e-4 softcap=50 scale=0.5 weights=uniform reduction=mean upstream=normal ignored=0.25",
    "normalizer=[110.5,110] reduction=mean z_loss=0.01",
};
constexpr std::string_view kGradients[] = {"gradient=in_place", "gradient=out_of_place", "gradient=in_place",
                                           "gradient=none", "gradient=in_place"};

// f16 gradients of many rows vanish below its subnormals: an upstream gradient lifts them.
std::string lifted(plusmax_dtype dtype, std::string tail) {
  if (dtype == PLUSMAX_F16 && tail.find("upstream") == tail.npos) tail += " upstream=1024";
  return tail;
}

std::string tail_of(plusmax_dtype dtype, std::string_view family, std::size_t options) {
  std::string tail(family);
  for (const std::string_view more : {kOptions[options], kGradients[options % std::size(kGradients)]})
    if (!more.empty()) tail += (tail.empty() ? "" : " ") + std::string(more);
  return lifted(dtype, tail);
}

// Every family once with each of `rounds` options, each set of options with the same place for the gradient: checks that
// look at options alone meet each set once.
void add_families(ProfileCases& list, plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, std::size_t rounds) {
  const auto all = families();
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t options = (i + round * 5 + static_cast<std::size_t>(dtype) * 3) % std::size(kOptions);
      list.add(dtype, rows, cols, tail_of(dtype, all[i], options), i + round);
    }
}

void add_options(ProfileCases& list, plusmax_dtype dtype, std::int64_t rows, std::int64_t cols) {
  for (std::size_t k = 0; k < std::size(kOptions); ++k) list.add(dtype, rows, cols, tail_of(dtype, "", k), k);
}

void add_special(ProfileCases& list, plusmax_dtype dtype, std::int64_t cols) {
  list.add(dtype, 25, cols, lifted(dtype, "fill=special smoothing=0.1 gradient=out_of_place"), 0);
  list.add(dtype, 25, cols, lifted(dtype, "fill=special softcap=30 reduction=mean gradient=in_place"), 1);
}

void add_smoke(ProfileCases& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    add_families(list, dtype, 2, dtype == PLUSMAX_F32 ? 517 : 257, 1);
    add_options(list, dtype, 5, 131);
    add_special(list, dtype, 37);
  }
}

void add_ci(ProfileCases& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    add_families(list, dtype, 2, dtype == PLUSMAX_F32 ? 2051 : 1031, dtype == PLUSMAX_F32 ? 2 : 1);
    add_options(list, dtype, 3, 4099);
    add_special(list, dtype, 4099);
  }
  // The vocabulary of Llama 3.
  for (const std::string_view tail : {"fill=plateau", "fill=spikes64 smoothing=0.1", "fill=peak_label targets=peak"})
    list.add(PLUSMAX_F32, 1, 128256, std::string(tail) + " gradient=in_place reduction=mean", 2);
  for (const std::string_view tail : {"fill=plateau depth=0.1 smoothing=0.1", "fill=spikes64 targets=peak"})
    list.add(PLUSMAX_BF16, 1, 128256, std::string(tail) + " gradient=in_place reduction=mean", 2);
}

void add_full(ProfileCases& list) {
  for (const plusmax_dtype dtype : kDtypes)
    for (const std::int64_t cols : {20011, 50257, 128256}) {
      add_families(list, dtype, 2, cols, 1);
      add_options(list, dtype, 2, cols);
      add_special(list, dtype, cols);
    }
  for (const plusmax_dtype dtype : kDtypes)
    for (const std::int64_t cols : {std::int64_t{262144}, (std::int64_t{1} << 20) + 1})
      for (const std::string_view tail : {"", "fill=plateau", "fill=spikes64 smoothing=0.1", "fill=max_last softcap=30"})
        list.add(dtype, 1, cols, std::string(tail) + (tail.empty() ? "" : " ") + "gradient=in_place", 3);
}

}  // namespace

std::vector<Case> profile(Profile profile, std::span<const plusmax_dtype> dtypes) {
  ProfileCases list("cross_entropy", dtypes);
  add_smoke(list);  // narrow rows are what a warp computes: every profile has them
  if (profile != Profile::smoke) add_ci(list);
  if (profile == Profile::full) add_full(list);
  return list.cases;
}

}  // namespace plusmax::properties::cross_entropy
