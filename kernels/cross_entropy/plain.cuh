// A row without smoothing, cap and argmax: its first pass keeps the pair of a log-sum-exp, its second is one
// exponential and one product an element.
#pragma once

#include "kernels/cross_entropy/coefficients.cuh"
#include "kernels/cross_entropy/sums.cuh"
#include "kernels/primitives/online.cuh"

namespace plusmax::cross_entropy {

// The functions of online.cuh over exp(scale (x - maximum)), in the same order of additions. With a scale of 1 they
// give the same bits.
template <class T>
class ScaledPair {
 public:
  using Accum = AccumOf<T>;
  using Pair = MaxSum<Accum>;

  __device__ __forceinline__ explicit ScaledPair(const Settings<Accum>& s) : settings_(s) {}

  __device__ __forceinline__ Accum exponential(Accum x, Accum shift) const {
    return M::exp_scaled(x, shift, settings_.factor);
  }
  __device__ __forceinline__ Accum exponential(Accum difference) const {
    return M::exp_scaled(difference, settings_.factor);
  }
  __device__ __forceinline__ Pair single(Accum x) const {
    const Accum maximum = M::maximum(M::negative_infinity(), x);
    return {maximum, exponential(x, safe_shift(maximum))};
  }
  // `sum`: of the exponentials over a batch with this maximum.
  __device__ __forceinline__ void take_in(Pair& pair, Accum maximum, Accum shift, Accum sum) const {
    pair.sum = M::multiply_add(pair.sum, exponential(pair.maximum, shift), sum);
    pair.maximum = maximum;
  }
  __device__ __forceinline__ Pair merge(const Pair& a, const Pair& b) const {
    const Accum maximum = M::maximum(a.maximum, b.maximum), shift = safe_shift(maximum);
    const Accum rescaled = b.sum * exponential(b.maximum, shift);
    return {maximum, M::multiply_add(a.sum, exponential(a.maximum, shift), rescaled)};
  }
  // `maximum`: of the warp
  __device__ __forceinline__ Pair merge_warp(const Pair& pair, Accum maximum, Accum shift) const {
    return {maximum, warp_sum(pair.sum * exponential(pair.maximum, shift))};
  }

  static __device__ __forceinline__ Accum join(const Accum (&chain)[kChains<T>]) {
    if constexpr (kChains<T> == 4) return (chain[0] + chain[1]) + (chain[2] + chain[3]);
    return chain[0] + chain[1];
  }

 private:
  using M = Math<Accum>;
  const Settings<Accum>& settings_;
};

template <class T>
class Plain {
 public:
  using Accum = AccumOf<T>;
  using State = MaxSum<Accum>;

  __device__ __forceinline__ Plain(const Params&, const Settings<Accum>& s) : pair_(s) {}

  __device__ __forceinline__ Accum value(Accum logit) const { return logit; }

  __device__ __forceinline__ State empty() const { return empty_sum<Accum>(); }
  __device__ PLUSMAX_INLINE_ON_DEVICE State edge(Accum logit, bool, std::int64_t) const { return pair_.single(logit); }

  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void absorb(State& state, const Vector<T> (&batch)[kCount],
                                                  const unsigned (&)[kCount], const std::int64_t (&)[kCount]) const {
    const Accum largest = Math<Accum>::maximum(state.maximum, maximum(batch)), shift = safe_shift(largest);
    Accum chain[kChains<T>];
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) {
      Accum v[Vector<T>::kElements];
      widen(batch[i], v);
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < Vector<T>::kElements; ++e) {
        const Accum term = pair_.exponential(v[e], shift);
        Accum& target = chain[e % kChains<T>];
        target = i == 0 && e < kChains<T> ? term : target + term;
      }
    }
    pair_.take_in(state, largest, shift, pair_.join(chain));
  }
  __device__ PLUSMAX_INLINE_ON_DEVICE State merge(const State& a, const State& b) const { return pair_.merge(a, b); }
  __device__ PLUSMAX_INLINE_ON_DEVICE State merge_warp(const State& state) const {
    const Accum largest = warp_maximum(state.maximum);
    return pair_.merge_warp(state, largest, safe_shift(largest));
  }

  __device__ __forceinline__ Others<Accum> others(const State& state) const {
    return {state.maximum, state.sum, Accum(0), Accum(0), no_best<Accum>()};
  }

  // Of neighbours from a column on, in place of their logits.
  template <int kCount>
  __device__ __forceinline__ void gradients(const Coefficients<Accum>& c, Accum (&v)[kCount], std::int64_t) const {
    PLUSMAX_UNROLL_ON_DEVICE
    for (int e = 0; e < kCount; ++e) v[e] = pair_.exponential(v[e], c.shift) * c.ratio;
  }
  __device__ __forceinline__ Accum slope(Accum) const { return Accum(1); }

 private:
  ScaledPair<T> pair_;
};

}  // namespace plusmax::cross_entropy
