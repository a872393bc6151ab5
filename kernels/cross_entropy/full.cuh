// A row with any of smoothing, class weights in it, cap, scale, argmax. What is off costs a branch that all threads
// take the same way, and changes no bit.
#pragma once

#include "kernels/cross_entropy/coefficients.cuh"
#include "kernels/cross_entropy/sums.cuh"
#include "kernels/primitives/online.cuh"

namespace plusmax::cross_entropy {

template <class Accum>
struct FullState {
  MaxSum<Accum> pair;
  Accum distance;  // sum of w (maximum - v)
  Accum mass;      // sum of w: what the distance grows by with the maximum
  Best<Accum> best;
};

template <class T>
class Full {
 public:
  using Accum = AccumOf<T>;
  using State = FullState<Accum>;

  __device__ __forceinline__ Full(const Params& p, const Settings<Accum>& s)
      : settings_(s), weights_(p.weights), smooth_(s.on_class > 0), find_best_(p.argmax != nullptr && !p.backward) {}

  // Infinite logits are told apart before the cap: a masked one stays masked.
  __device__ __forceinline__ Accum value(Accum logit) const {
    if (settings_.cap == 0 || logit == M::negative_infinity() || logit == -M::negative_infinity()) return logit;
    return settings_.cap * M::tanh(logit * settings_.into_cap);
  }
  __device__ __forceinline__ Accum exponential(Accum value, Accum shift) const {
    return M::exp_scaled(value, shift, settings_.factor);
  }

  __device__ __forceinline__ State empty() const {
    return {empty_sum<Accum>(), Accum(0), Accum(0), {M::negative_infinity(), kNoColumn}};
  }

  __device__ PLUSMAX_INLINE_ON_DEVICE State edge(Accum logit, bool exists, std::int64_t column) const {
    State state = empty();
    const Accum v = value(logit);
    state.pair.maximum = M::maximum(M::negative_infinity(), v);
    const Accum shift = safe_shift(state.pair.maximum);
    state.pair.sum = exponential(v, shift);
    if (exists && smooth_) {
      state.mass = weight(column);
      state.distance = state.mass * (shift - v);
    }
    if (exists && find_best_) state.best = {logit, column};
    return state;
  }

  // As absorb() of online.cuh in every addition. Bit e of `skip` leaves element e out of all but the sum, where it is
  // -inf already.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void absorb(State& state, const Vector<T> (&batch)[kCount],
                                                  const unsigned (&skip)[kCount],
                                                  const std::int64_t (&column)[kCount]) const {
    Accum v[kCount][kElements];
    Accum largest = state.pair.maximum;
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) {
      widen(batch[i], v[i]);
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < kElements; ++e) {
        if (find_best_ && (skip[i] >> e & 1u) == 0) raise(state.best, {v[i][e], column[i] + e});
        v[i][e] = value(v[i][e]);
        largest = M::maximum(largest, v[i][e]);
      }
    }
    const Accum shift = safe_shift(largest);
    if (smooth_) add_distances(state, v, skip, column, shift);
    Accum chain[kChains<T>];
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) PLUSMAX_UNROLL_ON_DEVICE
    for (int e = 0; e < kElements; ++e) {
      const Accum term = exponential(v[i][e], shift);
      Accum& target = chain[e % kChains<T>];
      target = i == 0 && e < kChains<T> ? term : target + term;
    }
    state.pair.sum = M::multiply_add(state.pair.sum, exponential(state.pair.maximum, shift), join(chain));
    state.pair.maximum = largest;
  }

  __device__ PLUSMAX_INLINE_ON_DEVICE State merge(const State& a, const State& b) const {
    State both;
    both.pair.maximum = M::maximum(a.pair.maximum, b.pair.maximum);
    const Accum shift = safe_shift(both.pair.maximum);
    both.pair.sum = M::multiply_add(a.pair.sum, exponential(a.pair.maximum, shift),
                                    b.pair.sum * exponential(b.pair.maximum, shift));
    both.distance = moved(a, shift) + moved(b, shift);
    both.mass = a.mass + b.mass;
    both.best = better(b.best, a.best) ? b.best : a.best;
    return both;
  }

  __device__ PLUSMAX_INLINE_ON_DEVICE State merge_warp(State state) const {
    const Accum largest = warp_maximum(state.pair.maximum), shift = safe_shift(largest);
    if (smooth_) {
      state.distance = warp_sum(moved(state, shift));
      state.mass = warp_sum(state.mass);
    }
    if (find_best_) {
      PLUSMAX_UNROLL_ON_DEVICE
      for (int offset = kWarpSize / 2; offset > 0; offset /= 2) {
        const Best<Accum> other = {platform::shuffle_xor(state.best.logit, offset),
                                   platform::shuffle_xor(state.best.column, offset)};
        if (better(other, state.best)) state.best = other;
      }
    }
    state.pair = {largest, warp_sum(state.pair.sum * exponential(state.pair.maximum, shift))};
    return state;
  }

  __device__ __forceinline__ Others<Accum> others(const State& state) const {
    return {state.pair.maximum, state.pair.sum, state.distance, state.mass, state.best};
  }

  __device__ PLUSMAX_INLINE_ON_DEVICE Accum slope(Accum logit) const {
    if (settings_.cap == 0) return Accum(1);
    // 1 - tanh^2, without the difference that has no digits left where tanh is near 1
    const Accum t = logit * settings_.into_cap;
    const Accum e = M::exp_shifted(t < 0 ? 2 * t : -2 * t, Accum(0));
    return 4 * e / ((1 + e) * (1 + e));
  }

  __device__ __forceinline__ Accum gradient(const Coefficients<Accum>& c, Accum logit, std::int64_t column) const {
    const Accum term = exponential(value(logit), c.shift);
    const Accum g = smooth_ ? M::multiply_add(term, c.ratio, -(c.share * weight(column))) : term * c.ratio;
    return settings_.cap == 0 ? g : g * slope(logit);
  }

 private:
  using M = Math<Accum>;
  static constexpr int kElements = Vector<T>::kElements;

  __device__ __forceinline__ Accum weight(std::int64_t column) const {
    return weights_ == nullptr ? Accum(1) : static_cast<Accum>(weights_[column]);
  }
  static __device__ __forceinline__ void raise(Best<Accum>& best, const Best<Accum>& other) {
    if (better(other, best)) best = other;
  }
  static __device__ __forceinline__ Accum join(const Accum (&chain)[kChains<T>]) {
    if constexpr (kChains<T> == 4) return (chain[0] + chain[1]) + (chain[2] + chain[3]);
    return chain[0] + chain[1];
  }
  static __device__ __forceinline__ Accum moved(const State& state, Accum shift) {
    return cross_entropy::moved(state.distance, state.mass, state.pair.maximum, shift);
  }

  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void add_distances(State& state, const Accum (&v)[kCount][kElements],
                                                         const unsigned (&skip)[kCount],
                                                         const std::int64_t (&column)[kCount], Accum shift) const {
    Accum distance[kChains<T>] = {}, mass[kChains<T>] = {};
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) PLUSMAX_UNROLL_ON_DEVICE
    for (int e = 0; e < kElements; ++e) {
      if ((skip[i] >> e & 1u) != 0) continue;
      const Accum w = weight(column[i] + e);
      distance[e % kChains<T>] = M::multiply_add(w, shift - v[i][e], distance[e % kChains<T>]);
      mass[e % kChains<T>] += w;
    }
    state.distance = moved(state, shift) + join(distance);
    state.mass += join(mass);
  }

  const Settings<Accum>& settings_;
  const float* weights_;
  bool smooth_, find_best_;
};

}  // namespace plusmax::cross_entropy
