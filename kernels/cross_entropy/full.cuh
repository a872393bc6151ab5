// A row with any of smoothing, class weights in it, argmax, and, where kMayCap, a cap. What is off costs a branch a
// batch that all threads take the same way, and changes no bit.
#pragma once

#include "kernels/cross_entropy/plain.cuh"
#include "kernels/platform/memory.cuh"
#include "kernels/primitives/row.cuh"

#include <type_traits>

namespace plusmax::cross_entropy {

template <class Accum>
struct CappedLogit {
  Accum value, slope;  // z, and dz / d(s x)
};

template <class Accum>
struct FullState {
  MaxSum<Accum> pair;
  Accum distance;  // sum of w (maximum - v)
  Accum mass;      // sum of w: what the distance grows by with the maximum
  Best<Accum> best;
};

template <class T, bool kMayCap>
class FullOf {
 public:
  using Accum = AccumOf<T>;
  using State = FullState<Accum>;

  __device__ __forceinline__ FullOf(const Params& p, const Settings<Accum>& s)
      : pair_(s),
        settings_(s),
        weights_(p.weights),
        smooth_(s.on_class > 0),
        find_best_(p.argmax != nullptr && !p.backward) {}

  __device__ __forceinline__ Accum value(Accum logit) const { return caps() ? capped(logit).value : logit; }

  __device__ __forceinline__ State empty() const { return {empty_sum<Accum>(), Accum(0), Accum(0), no_best<Accum>()}; }

  __device__ PLUSMAX_INLINE_ON_DEVICE State edge(Accum logit, bool exists, std::int64_t column) const {
    State state = empty();
    const Accum v = value(logit);
    state.pair = pair_.single(v);
    if (exists && smooth_) {
      state.mass = weight(column);
      state.distance = state.mass * (safe_shift(state.pair.maximum) - v);
    }
    if (const Best<Accum> own = {logit, column}; exists && find_best_ && better(own, state.best)) state.best = own;
    return state;
  }

  // As absorb() of online.cuh in every addition. Bit e of `skip` leaves element e out of all but the sum, where it is
  // -inf already.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void absorb(State& state, const Vector<T> (&batch)[kCount],
                                                  const unsigned (&skip)[kCount],
                                                  const std::int64_t (&column)[kCount]) const {
    constexpr int kKept = kMayCap ? kCount : 1;  // without a cap each vector is widened when it is added: registers
    Accum v[kKept][kElements];
    if constexpr (kMayCap) {
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kCount; ++i) widen(batch[i], v[i]);
    }
    const Accum highest = !caps() || find_best_ ? maximum(batch) : Accum(0);
    const Accum largest = M::maximum(state.pair.maximum, caps() ? cap_all(v) : highest);
    const Accum shift = safe_shift(largest);
    Accum chain[kChains<T>];
    const auto add_up = [&](auto smooth) {
      Accum distance[kChains<T>] = {}, mass[kChains<T>] = {}, w[kElements];
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kCount; ++i) {
        Accum (&x)[kElements] = v[i % kKept];
        if constexpr (!kMayCap) widen(batch[i], x);
        if (smooth && skip[i] != ~0u) weights_at(column[i], w);
        PLUSMAX_UNROLL_ON_DEVICE
        for (int e = 0; e < kElements; ++e) {
          const Accum difference = x[e] - shift, term = pair_.exponential(difference);
          Accum& target = chain[e % kChains<T>];
          target = i == 0 && e < kChains<T> ? term : target + term;
          if (!smooth || (skip[i] >> e & 1u) != 0) continue;
          distance[e % kChains<T>] = M::multiply_add(w[e], -difference, distance[e % kChains<T>]);
          mass[e % kChains<T>] += w[e];
        }
      }
      if (!smooth) return;
      state.distance = moved(state, shift) + ScaledPair<T>::join(distance);
      state.mass += ScaledPair<T>::join(mass);
    };
    smooth_ ? add_up(std::true_type{}) : add_up(std::false_type{});
    const Accum sum = ScaledPair<T>::join(chain);
    pair_.take_in(state.pair, largest, shift, sum);
    if (find_best_) find_best(state.best, batch, column, highest, sum != sum);
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

  __device__ __forceinline__ Accum slope(Accum logit) const { return caps() ? capped(logit).slope : Accum(1); }

  // Of neighbours from a column on, in place of their logits.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void gradients(const Coefficients<Accum>& c, Accum (&v)[kCount],
                                                     std::int64_t column) const {
    const auto make = [&](auto smooth, auto cap) {
      Accum w[kCount];
      if (smooth) weights_at(column, w);
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < kCount; ++e) {
        const CappedLogit<Accum> z = cap(v[e]);
        const Accum term = pair_.exponential(z.value, c.shift);
        const Accum g = smooth ? M::multiply_add(term, c.ratio, -(c.share * w[e])) : term * c.ratio;
        v[e] = g * z.slope;
      }
    };
    const auto make_all = [&](auto smooth) {
      if constexpr (kMayCap) {
        if (caps()) {
          if (all_near(v))
            make(smooth, [&](Accum logit) { return capped_near(logit); });
          else
            make(smooth, [&](Accum logit) { return capped(logit); });
          return;
        }
      }
      make(smooth, [](Accum logit) { return CappedLogit<Accum>{logit, Accum(1)}; });
    };
    smooth_ ? make_all(std::true_type{}) : make_all(std::false_type{});
  }

 private:
  using M = Math<Accum>;
  static constexpr int kElements = Vector<T>::kElements;

  __device__ __forceinline__ bool caps() const { return kMayCap && settings_.cap != 0; }
  // Infinite logits are told apart: a masked one stays masked.
  __device__ __forceinline__ CappedLogit<Accum> capped(Accum logit) const {
    const Tanh<Accum> t = M::tanh(logit * settings_.into_cap);
    const bool infinite = logit == M::negative_infinity() || logit == -M::negative_infinity();
    return {infinite ? logit : settings_.cap * t.value, t.slope};
  }
  // The same bits, for a logit that is near.
  __device__ __forceinline__ CappedLogit<Accum> capped_near(Accum logit) const {
    const Tanh<Accum> t = M::tanh_near(logit * settings_.into_cap);
    return {settings_.cap * t.value, t.slope};
  }
  // Whether tanh needs no exponential for any of them: the usual case, in half the instructions.
  template <int kCount>
  __device__ __forceinline__ bool all_near(const Accum (&v)[kCount]) const {
    Accum largest = 0;
    PLUSMAX_UNROLL_ON_DEVICE
    for (int e = 0; e < kCount; ++e) largest = M::maximum(largest, fabs(v[e]));
    return largest * settings_.into_cap < Accum(kTanhNear);
  }
  // Caps them, and answers the largest.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE Accum cap_all(Accum (&v)[kCount][kElements]) const {
    Accum largest = M::negative_infinity();
    const auto cap_by = [&](Accum (&some)[kElements], auto&& cap) {
      PLUSMAX_UNROLL_ON_DEVICE
      for (int e = 0; e < kElements; ++e) {
        some[e] = cap(some[e]).value;
        largest = M::maximum(largest, some[e]);
      }
    };
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kCount; ++i) {
      if (all_near(v[i]))
        cap_by(v[i], [&](Accum logit) { return capped_near(logit); });
      else
        cap_by(v[i], [&](Accum logit) { return capped(logit); });
    }
    return largest;
  }

  __device__ __forceinline__ Accum weight(std::int64_t column) const {
    return weights_ == nullptr ? Accum(1) : static_cast<Accum>(weights_[column]);
  }
  // Those of whole vectors by two loads where they are aligned.
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void weights_at(std::int64_t column, Accum (&w)[kCount]) const {
    if constexpr (kCount % 4 == 0 && sizeof(Accum) == 4) {
      if (weights_ != nullptr && reinterpret_cast<std::uintptr_t>(weights_ + column) % kVectorBytes == 0) {
        PLUSMAX_UNROLL_ON_DEVICE
        for (int i = 0; i < kCount / 4; ++i) {
          const uint4 four = platform::load_cached(weights_ + column + 4 * i);
          memcpy(w + 4 * i, &four, sizeof four);
        }
        return;
      }
    }
    PLUSMAX_UNROLL_ON_DEVICE
    for (int e = 0; e < kCount; ++e) w[e] = weight(column + e);
  }

  // `highest`: of the batch. What is no higher than -inf is as good as no_best().
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void find_best(Best<Accum>& best, const Vector<T> (&batch)[kCount],
                                                     const std::int64_t (&column)[kCount], Accum highest,
                                                     bool has_nan) const {
    if (!has_nan && !(highest >= best.logit && highest > M::negative_infinity())) return;
    const auto take_first = [&](Accum what, auto is_it) {
      Best<Accum> found = no_best<Accum>();
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = kCount - 1; i >= 0; --i) {
        Accum logit[kElements];
        widen(batch[i], logit);
        int at = -1;
        PLUSMAX_UNROLL_ON_DEVICE
        for (int e = kElements - 1; e >= 0; --e)
          if (is_it(logit[e])) at = e;
        if (at >= 0) found = {what, column[i] + at};
      }
      if (better(found, best)) best = found;
    };
    if (has_nan)
      take_first(Accum(NAN), [](Accum logit) { return logit != logit; });
    else
      take_first(highest, [&](Accum logit) { return logit == highest; });
  }
  static __device__ __forceinline__ Accum moved(const State& state, Accum shift) {
    return cross_entropy::moved(state.distance, state.mass, state.pair.maximum, shift);
  }

  ScaledPair<T> pair_;
  const Settings<Accum>& settings_;
  const float* weights_;
  bool smooth_, find_best_;
};

template <class T>
using Full = FullOf<T, false>;
// Also without a cap, where an instance of its own is not worth it.
template <class T>
using Capped = FullOf<T, true>;

}  // namespace plusmax::cross_entropy
