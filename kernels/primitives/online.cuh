// The running pair of a log-sum-exp: the largest logit so far, and the sum of exp(x - maximum) over what was seen.
// A row of -inf keeps (-inf, 0); +inf gives (+inf, +inf); a NaN lives in the sum. No state ever holds a NaN maximum.
#pragma once

#include "kernels/primitives/vec.cuh"
#include "kernels/primitives/warp.cuh"

namespace plusmax {

template <class Accum>
struct alignas(2 * sizeof(Accum)) MaxSum {
  Accum maximum, sum;
};

template <class Accum>
__device__ __forceinline__ MaxSum<Accum> empty_sum() {
  return {Math<Accum>::negative_infinity(), Accum(0)};
}

// The state of one logit.
template <class Accum>
__device__ __forceinline__ MaxSum<Accum> single(Accum x) {
  const Accum maximum = Math<Accum>::maximum(Math<Accum>::negative_infinity(), x);
  return {maximum, Math<Accum>::exp_shifted(x, safe_shift(maximum))};
}

// Chains that a batch is summed in, and the additions that any term of a batch of `vectors` passes through in it.
template <class T>
constexpr int kChains = Vector<T>::kElements < 4 ? Vector<T>::kElements : 4;
template <class T>
constexpr int batch_additions(int vectors) {
  return vectors * Vector<T>::kElements / kChains<T> - 1 + (kChains<T> == 4 ? 2 : 1);
}

// sum of exp(x - shift) over a batch, in kChains interleaved chains.
template <class T, int kCount>
__device__ __forceinline__ AccumOf<T> sum_exp(const Vector<T> (&batch)[kCount], AccumOf<T> shift) {
  constexpr int kElements = Vector<T>::kElements;
  AccumOf<T> chain[kChains<T>];
  PLUSMAX_UNROLL
  for (int i = 0; i < kCount; ++i) {
    AccumOf<T> values[kElements];
    widen(batch[i], values);
    PLUSMAX_UNROLL
    for (int e = 0; e < kElements; ++e) {
      const AccumOf<T> term = Math<AccumOf<T>>::exp_shifted(values[e], shift);
      AccumOf<T>& target = chain[e % kChains<T>];
      target = i == 0 && e < kChains<T> ? term : target + term;
    }
  }
  if constexpr (kChains<T> == 4) return (chain[0] + chain[1]) + (chain[2] + chain[3]);
  return chain[0] + chain[1];
}

// Takes in a batch: one rescale of the sum, one fused addition.
template <class T, int kCount>
__device__ __forceinline__ void absorb(MaxSum<AccumOf<T>>& state, const Vector<T> (&batch)[kCount]) {
  using M = Math<AccumOf<T>>;
  const AccumOf<T> largest = M::maximum(state.maximum, maximum(batch));
  const AccumOf<T> shift = safe_shift(largest);
  state.sum = M::multiply_add(state.sum, M::exp_shifted(state.maximum, shift), sum_exp(batch, shift));
  state.maximum = largest;
}

// Both sums rescaled to the larger maximum: one addition, one rescale.
template <class Accum>
__device__ __forceinline__ MaxSum<Accum> merge(const MaxSum<Accum>& a, const MaxSum<Accum>& b) {
  using M = Math<Accum>;
  const Accum largest = M::maximum(a.maximum, b.maximum);
  const Accum shift = safe_shift(largest);
  const Accum rescaled = b.sum * M::exp_shifted(b.maximum, shift);
  return {largest, M::multiply_add(a.sum, M::exp_shifted(a.maximum, shift), rescaled)};
}

// state(0) to state(kStates - 1), in this order: one rescale, kStates - 1 additions.
template <class Accum, int kStates, class State>
__device__ __forceinline__ MaxSum<Accum> merge_states(State&& state) {
  using M = Math<Accum>;
  MaxSum<Accum> part[kStates];
  Accum largest = M::negative_infinity();
  PLUSMAX_UNROLL
  for (int i = 0; i < kStates; ++i) {
    part[i] = state(i);
    largest = M::maximum(largest, part[i].maximum);
  }
  const Accum shift = safe_shift(largest);
  Accum sum = part[0].sum * M::exp_shifted(part[0].maximum, shift);
  PLUSMAX_UNROLL
  for (int i = 1; i < kStates; ++i) sum = M::multiply_add(part[i].sum, M::exp_shifted(part[i].maximum, shift), sum);
  return {largest, sum};
}

// One rescale to the warp's maximum, then kWarpLevels additions. All lanes get the result.
template <class Accum>
__device__ __forceinline__ MaxSum<Accum> warp_merge(const MaxSum<Accum>& state) {
  using M = Math<Accum>;
  const Accum largest = warp_maximum(state.maximum);
  return {largest, warp_sum(state.sum * M::exp_shifted(state.maximum, safe_shift(largest)))};
}

// maximum + log(sum), the only logarithm of a row. -inf, +inf and NaN come out of it by themselves.
template <class Accum>
__device__ __forceinline__ Accum finish(const MaxSum<Accum>& state) {
  return safe_shift(state.maximum) + Math<Accum>::log(state.sum);
}

}  // namespace plusmax
