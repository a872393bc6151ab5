// What a row's first pass hands on, and what its end makes of it.
#pragma once

#include "kernels/cross_entropy/settings.hpp"
#include "kernels/primitives/online.cuh"

#include <cstdint>

namespace plusmax::cross_entropy {

// The largest stored logit: NaN above everything, the lowest column on ties.
template <class Accum>
struct alignas(16) Best {
  Accum logit;
  std::int64_t column;
};
// Of no column, or of columns that are all -inf: whatever else there is, is as good.
template <class Accum>
__device__ __forceinline__ Best<Accum> no_best() {
  return {Math<Accum>::negative_infinity(), 0};
}
template <class Accum>
__device__ __forceinline__ bool better(const Best<Accum>& a, const Best<Accum>& b) {
  const bool a_nan = a.logit != a.logit, b_nan = b.logit != b.logit;
  if (a_nan != b_nan) return a_nan;
  return a.logit > b.logit || ((a_nan || a.logit == b.logit) && a.column < b.column);
}

// Over all columns but the target's: v is the logit, or the capped logit.
template <class Accum>
struct Others {
  Accum maximum;   // of v
  Accum sum;       // of exp(scale (v - maximum))
  Accum distance;  // of w (maximum - v), if the labels are smoothed
  Accum mass;      // of w, likewise
  Best<Accum> best;
};

// `distance` from `maximum`, taken over to a `shift` that is no lower. Logits that are all -inf have an infinite
// distance already, and none at all have none.
template <class Accum>
__device__ __forceinline__ Accum moved(Accum distance, Accum mass, Accum maximum, Accum shift) {
  if (maximum == Math<Accum>::negative_infinity()) return distance;
  return Math<Accum>::multiply_add(mass, shift - maximum, distance);
}

// A row, whole. With the target at the maximum sum = 1 + others, and what is 1 - p there is others / sum: nothing is
// subtracted that was near 1 before.
template <class Accum>
struct RowSums {
  Accum maximum, shift;  // of v, target included; what to subtract from v: 0 if the maximum is infinite
  Accum others, target;  // exponentials: the sum without the target's column, and the target's
  Accum sum;
  bool undefined;  // a row of -inf, or one with +inf: no probabilities
  bool on_top;     // the target is the maximum

  __device__ __forceinline__ Accum log_sum() const {
    return on_top ? Math<Accum>::log1p(others) : Math<Accum>::log(sum);
  }
};

// `target`: v of the target's column, -inf if there is none.
template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE RowSums<Accum> close_row(Accum maximum, Accum others, Accum target,
                                                             const Settings<Accum>& s) {
  using M = Math<Accum>;
  RowSums<Accum> row;
  row.maximum = maximum;
  row.shift = safe_shift(maximum);
  row.others = others;
  row.target = M::exp_scaled(target, row.shift, s.factor);
  row.sum = row.others + row.target;
  row.undefined = maximum == M::negative_infinity() || maximum == -M::negative_infinity();
  row.on_top = target == maximum && !row.undefined;
  return row;
}

// exp(scale (lower - upper)) to a few roundings however far apart the two are: a confident label's loss is as exact as
// this. Once a row.
template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE Accum exact_exponential(Accum lower, Accum upper, const Settings<Accum>& s) {
  using M = Math<Accum>;
  const Difference<Accum> d = two_difference(lower, upper);
  const Accum argument = d.difference * s.factor;
  const Accum e = M::exponential(argument);
  if (e == 0 || e == -M::negative_infinity()) return e;  // an infinite difference has no rest
  const Accum of_product = M::multiply_add(d.difference, s.factor, -argument);
  const Accum rest = M::multiply_add(d.difference, s.factor_rest, of_product);
  return M::with_rest(e, M::multiply_add(d.rest, s.factor, rest));
}

template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE RowSums<Accum> close_row(const Others<Accum>& others, Accum target,
                                                             const Settings<Accum>& s) {
  using M = Math<Accum>;
  const Accum maximum = M::maximum(M::maximum(others.maximum, target), M::negative_infinity());
  const Accum rescaled = others.sum * exact_exponential(others.maximum, safe_shift(maximum), s);
  return close_row(maximum, rescaled, target, s);
}

}  // namespace plusmax::cross_entropy
