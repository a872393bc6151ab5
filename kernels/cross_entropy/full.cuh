// A row with any of smoothing, class weights in it, cap, argmax. What is off costs a branch that all threads
// take the same way, and changes no bit.
#pragma once

#include "kernels/cross_entropy/plain.cuh"

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
      : pair_(s),
        settings_(s),
        weights_(p.weights),
        smooth_(s.on_class > 0),
        find_best_(p.argmax != nullptr && !p.backward) {}

  // Infinite logits are told apart before the cap: a masked one stays masked.
  __device__ __forceinline__ Accum value(Accum logit) const {
    if (settings_.cap == 0 || logit == M::negative_infinity() || logit == -M::negative_infinity()) return logit;
    return settings_.cap * M::tanh(logit * settings_.into_cap);
  }

  __device__ __forceinline__ State empty() const {
    return {empty_sum<Accum>(), Accum(0), Accum(0), {M::negative_infinity(), kNoColumn}};
  }

  __device__ PLUSMAX_INLINE_ON_DEVICE State edge(Accum logit, bool exists, std::int64_t column) const {
    State state = empty();
    const Accum v = value(logit);
    state.pair = pair_.single(v);
    if (exists && smooth_) {
      state.mass = weight(column);
      state.distance = state.mass * (safe_shift(state.pair.maximum) - v);
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
    const Accum largest = M::maximum(state.pair.maximum, maximum_of(batch)), shift = safe_shift(largest);
    Accum chain[kChains<T>], distance[kChains<T>] = {}, mass[kChains<T>] = {};
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) {
      Accum v[kElements];
      widen(batch[i], v);
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < kElements; ++e) {
        const Accum difference = value(v[e]) - shift, term = pair_.exponential(difference);
        Accum& target = chain[e % kChains<T>];
        target = i == 0 && e < kChains<T> ? term : target + term;
        if (!smooth_ || (skip[i] >> e & 1u) != 0) continue;
        const Accum w = weight(column[i] + e);
        distance[e % kChains<T>] = M::multiply_add(w, -difference, distance[e % kChains<T>]);
        mass[e % kChains<T>] += w;
      }
    }
    if (smooth_) {
      state.distance = moved(state, shift) + ScaledPair<T>::join(distance);
      state.mass += ScaledPair<T>::join(mass);
    }
    const Accum sum = ScaledPair<T>::join(chain);
    pair_.take_in(state.pair, largest, shift, sum);
    if (find_best_) find_best(state.best, batch, skip, column, sum != sum);
  }

  __device__ PLUSMAX_INLINE_ON_DEVICE State merge(const State& a, const State& b) const {
    State both;
    both.pair = pair_.merge(a.pair, b.pair);
    const Accum shift = safe_shift(both.pair.maximum);
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
    state.pair = pair_.merge_warp(state.pair, largest, shift);
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
    const Accum term = pair_.exponential(value(logit), c.shift);
    const Accum g = smooth_ ? M::multiply_add(term, c.ratio, -(c.share * weight(column))) : term * c.ratio;
    return settings_.cap == 0 ? g : g * slope(logit);
  }

 private:
  using M = Math<Accum>;
  static constexpr int kElements = Vector<T>::kElements;

  __device__ __forceinline__ Accum weight(std::int64_t column) const {
    return weights_ == nullptr ? Accum(1) : static_cast<Accum>(weights_[column]);
  }
  // Most batches hold nothing that is as high as what is there.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void find_best(Best<Accum>& best, const Vector<T> (&batch)[kCount],
                                                     const unsigned (&skip)[kCount],
                                                     const std::int64_t (&column)[kCount], bool has_nan) const {
    if (best.column != kNoColumn && !has_nan && maximum(batch) < best.logit) return;
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) {
      Accum logit[kElements];
      widen(batch[i], logit);
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < kElements; ++e) {
        const Best<Accum> other{logit[e], column[i] + e};
        if ((skip[i] >> e & 1u) == 0 && better(other, best)) best = other;
      }
    }
  }
  static __device__ __forceinline__ Accum moved(const State& state, Accum shift) {
    return cross_entropy::moved(state.distance, state.mass, state.pair.maximum, shift);
  }

  // Of the capped logits. They are made again for the sums: kept, they would not fit the registers.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE Accum maximum_of(const Vector<T> (&batch)[kCount]) const {
    if (settings_.cap == 0) return maximum(batch);
    Accum largest = M::negative_infinity();
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) {
      Accum v[kElements];
      widen(batch[i], v);
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < kElements; ++e) largest = M::maximum(largest, value(v[e]));
    }
    return largest;
  }

  ScaledPair<T> pair_;
  const Settings<Accum>& settings_;
  const float* weights_;
  bool smooth_, find_best_;
};

}  // namespace plusmax::cross_entropy
