// The options as kernels use them: rounded once to the type that accumulates, products with constants made beforehand.
#pragma once

#include "kernels/cross_entropy/params.hpp"
#include "kernels/primitives/math.cuh"

namespace plusmax::cross_entropy {

// z_j - m is scale (v_j - v_max), v being what the rows are summed over: the logits themselves, so that a common offset
// cancels before it is scaled, or the capped logits, which are z already.
template <class Accum>
struct Settings {
  Accum scale;         // s; 1 with a cap
  Accum factor;        // what (v_j - v_max) is multiplied by in the exponential of math.cuh
  Accum factor_rest;   // what rounding it left
  Accum cap;           // c, 0 is off
  Accum into_cap;      // s / c
  Accum on_target;     // 1 - eps
  Accum on_class;      // eps / cols
  Accum twice_z_loss;  // 2 lambda
  Accum z_loss;        // lambda
  double chain;        // dz/dx apart from the cap's slope: s
};

// eps / V, which may be 0 in the type that accumulates: then labels are not smoothed.
template <class Accum>
Accum class_share(const Params& p) {
  const Options& o = p.options;
  return static_cast<Accum>(o.label_smoothing / static_cast<double>(p.cols));
}

template <class Accum>
Settings<Accum> settings_of(const Params& p) {
  const Options& o = p.options;
  const bool capped = o.softcap > 0;
  const Accum scale = static_cast<Accum>(capped ? 1 : o.logit_scale);
  const double exact_factor = (sizeof(Accum) == 4 ? 1.44269504088896340736 : 1) * (capped ? 1 : o.logit_scale);
  const auto factor = static_cast<Accum>(exact_factor);
  return {scale,
          factor,
          static_cast<Accum>(exact_factor - static_cast<double>(factor)),
          static_cast<Accum>(o.softcap),
          capped ? static_cast<Accum>(o.logit_scale / o.softcap) : Accum(0),
          static_cast<Accum>(1 - o.label_smoothing),
          class_share<Accum>(p),
          static_cast<Accum>(2 * o.z_loss),
          static_cast<Accum>(o.z_loss),
          o.logit_scale};
}

inline bool smooths(const Params& p) {
  return p.dtype == PLUSMAX_F64 ? class_share<double>(p) > 0 : class_share<float>(p) > 0;
}

// Which of plain.cuh, smooth.cuh, and full.cuh without a cap or with one, is the least that makes a row's results.
enum class RowMode { plain, smooth, full, capped };
inline RowMode row_mode(const Params& p) {
  if (p.options.softcap > 0) return RowMode::capped;
  if (p.argmax != nullptr || (smooths(p) && p.weights != nullptr)) return RowMode::full;
  return smooths(p) ? RowMode::smooth : RowMode::plain;
}

}  // namespace plusmax::cross_entropy
