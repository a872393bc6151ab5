// A row with smoothed labels, all classes alike, and neither cap nor argmax: the bits of Full, without its branches.
#pragma once

#include "kernels/cross_entropy/plain.cuh"

namespace plusmax::cross_entropy {

template <class Accum>
struct SmoothState {
  MaxSum<Accum> pair;
  Accum distance;  // sum of maximum - x
  Accum mass;      // how many of them: what the distance grows by with the maximum
};

template <class T>
class Smooth {
 public:
  using Accum = AccumOf<T>;
  using State = SmoothState<Accum>;

  __device__ __forceinline__ Smooth(const Params&, const Settings<Accum>& s) : pair_(s) {}

  __device__ __forceinline__ Accum value(Accum logit) const { return logit; }

  __device__ __forceinline__ State empty() const { return {empty_sum<Accum>(), Accum(0), Accum(0)}; }

  __device__ PLUSMAX_INLINE_ON_DEVICE State edge(Accum logit, bool exists, std::int64_t) const {
    State state = empty();
    state.pair = pair_.single(logit);
    if (!exists) return state;
    state.distance = safe_shift(state.pair.maximum) - logit;
    state.mass = 1;
    return state;
  }

  // Bit e of `skip` leaves element e out of all but the sum, where it is -inf already. Counts are exact in any order.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void absorb(State& state, const Vector<T> (&batch)[kCount],
                                                  const unsigned (&skip)[kCount],
                                                  const std::int64_t (&)[kCount]) const {
    const Accum largest = M::maximum(state.pair.maximum, maximum(batch)), shift = safe_shift(largest);
    Accum chain[kChains<T>], distance[kChains<T>] = {};
    int counted = 0;
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) {
      Accum v[kElements];
      widen(batch[i], v);
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < kElements; ++e) {
        const Accum difference = v[e] - shift, term = pair_.exponential(difference);
        Accum& target = chain[e % kChains<T>];
        target = i == 0 && e < kChains<T> ? term : target + term;
        if ((skip[i] >> e & 1u) != 0) continue;
        distance[e % kChains<T>] -= difference;
        ++counted;
      }
    }
    state.distance = moved(state, shift) + ScaledPair<T>::join(distance);
    state.mass += static_cast<Accum>(counted);
    pair_.take_in(state.pair, largest, shift, ScaledPair<T>::join(chain));
  }

  __device__ PLUSMAX_INLINE_ON_DEVICE State merge(const State& a, const State& b) const {
    const MaxSum<Accum> pair = pair_.merge(a.pair, b.pair);
    const Accum shift = safe_shift(pair.maximum);
    return {pair, moved(a, shift) + moved(b, shift), a.mass + b.mass};
  }
  __device__ PLUSMAX_INLINE_ON_DEVICE State merge_warp(const State& state) const {
    const Accum largest = warp_maximum(state.pair.maximum), shift = safe_shift(largest);
    return {pair_.merge_warp(state.pair, largest, shift), warp_sum(moved(state, shift)), warp_sum(state.mass)};
  }

  __device__ __forceinline__ Others<Accum> others(const State& state) const {
    return {state.pair.maximum, state.pair.sum, state.distance, state.mass, no_best<Accum>()};
  }

  // Of neighbours from a column on, in place of their logits.
  template <int kCount>
  __device__ __forceinline__ void gradients(const Coefficients<Accum>& c, Accum (&v)[kCount], std::int64_t) const {
    PLUSMAX_UNROLL_ON_DEVICE
    for (int e = 0; e < kCount; ++e) v[e] = M::multiply_add(pair_.exponential(v[e], c.shift), c.ratio, -c.share);
  }
  __device__ __forceinline__ Accum slope(Accum) const { return Accum(1); }

 private:
  using M = Math<Accum>;
  static constexpr int kElements = Vector<T>::kElements;

  static __device__ __forceinline__ Accum moved(const State& state, Accum shift) {
    return cross_entropy::moved(state.distance, state.mass, state.pair.maximum, shift);
  }

  ScaledPair<T> pair_;
};

}  // namespace plusmax::cross_entropy
