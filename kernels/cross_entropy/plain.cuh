// A row without smoothing, cap, scale and argmax: its first pass keeps the pair of logsumexp, its second is one
// exponential and one product an element.
#pragma once

#include "kernels/cross_entropy/coefficients.cuh"
#include "kernels/cross_entropy/sums.cuh"
#include "kernels/primitives/online.cuh"

namespace plusmax::cross_entropy {

template <class T>
class Plain {
 public:
  using Accum = AccumOf<T>;
  using State = MaxSum<Accum>;

  __device__ __forceinline__ Plain(const Params&, const Settings<Accum>&) {}

  __device__ __forceinline__ Accum value(Accum logit) const { return logit; }

  __device__ __forceinline__ State empty() const { return empty_sum<Accum>(); }
  __device__ PLUSMAX_INLINE_ON_DEVICE State edge(Accum logit, bool, std::int64_t) const { return single(logit); }
  template <int kCount>
  __device__ PLUSMAX_INLINE_ON_DEVICE void absorb(State& state, const Vector<T> (&batch)[kCount],
                                                  const unsigned (&)[kCount], const std::int64_t (&)[kCount]) const {
    plusmax::absorb(state, batch);
  }
  __device__ PLUSMAX_INLINE_ON_DEVICE State merge(const State& a, const State& b) const { return plusmax::merge(a, b); }
  __device__ PLUSMAX_INLINE_ON_DEVICE State merge_warp(const State& state) const { return warp_merge(state); }

  __device__ __forceinline__ Others<Accum> others(const State& state) const {
    return {state.maximum, state.sum, Accum(0), Accum(0), {Math<Accum>::negative_infinity(), kNoColumn}};
  }

  __device__ __forceinline__ Accum gradient(const Coefficients<Accum>& c, Accum logit, std::int64_t) const {
    return Math<Accum>::exp_shifted(logit, c.shift) * c.ratio;
  }
  __device__ __forceinline__ Accum slope(Accum) const { return Accum(1); }
};

}  // namespace plusmax::cross_entropy
