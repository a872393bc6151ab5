// The host's linear_cross_entropy, whose results a slip changes after each launch.
#pragma once

#include "properties/operation.hpp"
#include "tests/properties/caught.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace plusmax::properties::fake_linear_cross_entropy {

using Params = plusmax::linear_cross_entropy::Params;

enum class Slip {
  none,
  loss_rounded,
  lse_of_next_token,
  dweight_accumulated_in_16_bits,
  last_dbias_lost,
  dhidden_off,
  ignored_dhidden_negative,
  argmax_of_last_class,
  excess_uncounted,
  mean_not_divided,
  written_beside
};

inline float in_bf16(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= 0xffff0000u;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

// Of f32 calls.
template <Slip kSlip>
void spoil(const Params& p) {
  if constexpr (kSlip == Slip::loss_rounded) {
    for (std::int64_t t = 0; p.loss_rows && t < p.tokens; ++t) p.loss_rows[t] = in_bf16(p.loss_rows[t]);
  } else if constexpr (kSlip == Slip::lse_of_next_token) {
    for (std::int64_t t = 0; p.lse && t + 1 < p.tokens; ++t) p.lse[t] = p.lse[t + 1];
  } else if constexpr (kSlip == Slip::dweight_accumulated_in_16_bits) {
    auto* dweight = static_cast<float*>(p.dweight);
    for (std::int64_t i = 0; dweight && i < p.vocab * p.features; ++i)
      dweight[i / p.features * p.dweight_stride + i % p.features] =
          in_bf16(dweight[i / p.features * p.dweight_stride + i % p.features]);
  } else if constexpr (kSlip == Slip::last_dbias_lost) {
    if (p.dbias) static_cast<float*>(p.dbias)[p.vocab - 1] = 0;
  } else if constexpr (kSlip == Slip::dhidden_off) {
    if (p.dhidden && p.tokens > 0) static_cast<float*>(p.dhidden)[p.features - 1] += 1e-3f;
  } else if constexpr (kSlip == Slip::ignored_dhidden_negative) {
    for (std::int64_t t = 0; p.dhidden && t < p.tokens; ++t) {
      float* row = static_cast<float*>(p.dhidden) + t * p.dhidden_stride;
      for (std::int64_t k = 0; k < p.features; ++k) row[k] = row[k] == 0 ? -0.0f : row[k];
    }
  } else if constexpr (kSlip == Slip::argmax_of_last_class) {
    for (std::int64_t t = 0; p.argmax && t < p.tokens; ++t) p.argmax[t] = p.vocab - 1;
  } else if constexpr (kSlip == Slip::excess_uncounted) {
    if (p.excess_tokens) *p.excess_tokens = 0;
  } else if constexpr (kSlip == Slip::mean_not_divided) {
    if (p.loss) *p.loss *= static_cast<float>(p.tokens);
  } else if constexpr (kSlip == Slip::written_beside) {
    if (p.dweight && p.dweight_stride > p.features) static_cast<float*>(p.dweight)[p.features] = 1;
  }
}

template <Slip kSlip, int kIndex>
Status launch(const Params& p, void* workspace, void* stream) {
  Status status = plusmax_module()->linear_cross_entropy[kIndex]->launch(p, workspace, stream);
  if (status.ok()) spoil<kSlip>(p);
  return status;
}

template <Slip kSlip>
struct World {
  std::array<KernelVariant<Params>, 3> kernels;
  std::array<const KernelVariant<Params>*, 3> variants;
  Module module = *plusmax_module();

  World() {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      kernels[i] = *module.linear_cross_entropy[i], variants[i] = &kernels[i];
    kernels[0].launch = launch<kSlip, 0>;
    kernels[1].launch = launch<kSlip, 1>;
    kernels[2].launch = launch<kSlip, 2>;
    module.linear_cross_entropy = variants;
  }
  World(const World&) = delete;

  // Of token_chunks, which has everything.
  Record run(std::string_view check, std::string_view line) {
    Subject of = subjects_of(module, "linear_cross_entropy", "token_chunks").front();
    return run_check(*find_check("linear_cross_entropy", check), parse_case(line), of);
  }
};

}  // namespace plusmax::properties::fake_linear_cross_entropy
