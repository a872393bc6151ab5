// The two passes of a block over a stretch of a row, in the tiles of stream.cuh: the same thread meets the same vectors
// in both.
#pragma once

#include "kernels/cross_entropy/gradient_row.cuh"
#include "kernels/primitives/stream.cuh"

namespace plusmax::cross_entropy {

// The stretch of vectors that is read; `from` is a multiple of kLineVectors.
struct Stretch {
  std::int64_t from, begin, end;
};
template <class T>
__device__ __forceinline__ Stretch stretch_of(const RowSpan<T>& span, std::int64_t from, std::int64_t to) {
  return {from, span.begin > from ? span.begin : from, span.end < to ? span.end : to};
}

// The vector with the target, as the sums see it: they leave it out.
template <class T>
__device__ __forceinline__ void hide_target(const Place& place, Vector<T>& vector, unsigned& skip) {
  vector = with_element(vector, place.element, Element<T>::narrow(Math<AccumOf<T>>::negative_infinity()));
  skip |= 1u << place.element;
}

// source.read(address) reads a vector, source.keep(index, vector) gets each as it was read. Tiles that lie within the
// stretch and hold no target of this thread go without a look at each vector.
template <class T, int kThreads, class Mode, class Source>
__device__ PLUSMAX_INLINE_ON_DEVICE typename Mode::State first_pass(const Mode& mode, const RowSpan<T>& span,
                                                                    const Place& place, const Stretch& stretch,
                                                                    const Source& source) {
  constexpr int kTile = kThreads * kBatchVectors;
  const std::int64_t hidden = target_tile<std::int64_t>(place, stretch.from, kTile, kThreads);
  typename Mode::State state = mode.empty();
  const auto take_in = [&](std::int64_t tile, auto whole) {
    const std::int64_t mine = tile + static_cast<int>(threadIdx.x);
    Vector<T> batch[kBatchVectors];
    unsigned skip[kBatchVectors];
    std::int64_t column[kBatchVectors];
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kBatchVectors; ++i) {
      const std::int64_t index = mine + i * kThreads;
      const bool exists = whole || (index >= stretch.begin && index < stretch.end);
      batch[i] = exists ? source.read(span.vector(index)) : negative_infinity_vector<T>();
      skip[i] = exists ? 0u : ~0u;
      column[i] = vector_column(span, index);
    }
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kBatchVectors; ++i) {
      const std::int64_t index = mine + i * kThreads;
      if (skip[i] == 0) source.keep(index, batch[i]);
      if (!whole && index == place.vector) hide_target(place, batch[i], skip[i]);
    }
    mode.absorb(state, batch, skip, column);
  };
  for (std::int64_t tile = stretch.from; tile < stretch.end; tile += kTile) {
    if (tile >= stretch.begin && tile + kTile <= stretch.end && tile != hidden)
      take_in(tile, std::true_type{});
    else
      take_in(tile, std::false_type{});
  }
  return state;
}

// Of one logit.
template <class Mode, class Accum>
__device__ __forceinline__ Accum gradient_of(const Mode& mode, const Coefficients<Accum>& c, Accum logit,
                                             std::int64_t column) {
  Accum one[1] = {logit};
  mode.gradients(c, one, column);
  return one[0];
}

// One vector of gradients.
template <class T, class Mode>
__device__ PLUSMAX_INLINE_ON_DEVICE Vector<T> gradient_vector(const Mode& mode, const Coefficients<AccumOf<T>>& c,
                                                              const Vector<T>& logits, std::int64_t column,
                                                              int target_element) {
  AccumOf<T> values[Vector<T>::kElements];
  widen(logits, values);
  mode.gradients(c, values, column);
  const Vector<T> gradients = narrow<T>(values);
  return target_element < 0 ? gradients : with_element(gradients, target_element, Element<T>::narrow(c.target));
}

// source.again(index) answers each vector once more, source.write(address, vector) stores one. Tiles go backwards,
// which meets the end of the row while a cache still has it.
template <class T, int kThreads, class Mode, class Source>
__device__ PLUSMAX_INLINE_ON_DEVICE void second_pass(const Mode& mode, const Coefficients<AccumOf<T>>& c,
                                                     const RowSpan<T>& span, const Place& place, const Stretch& stretch,
                                                     const GradientRow<T>& to, const Source& source) {
  constexpr int kTile = kThreads * kBatchVectors;
  if (stretch.end <= stretch.from) return;
  const std::int64_t hidden = target_tile<std::int64_t>(place, stretch.from, kTile, kThreads);
  const auto write = [&](uint4* address, const Vector<T>& vector) { source.write(address, vector); };
  const auto give_out = [&](std::int64_t tile, auto whole) {
    const std::int64_t mine = tile + static_cast<int>(threadIdx.x);
    Vector<T> batch[kBatchVectors];
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kBatchVectors; ++i) {
      const std::int64_t index = mine + i * kThreads;
      batch[i] = whole || (index >= stretch.begin && index < stretch.end) ? source.again(index)
                                                                          : negative_infinity_vector<T>();
    }
    PLUSMAX_UNROLL_ON_DEVICE
    for (int i = 0; i < kBatchVectors; ++i) {
      const std::int64_t index = mine + i * kThreads, column = vector_column(span, index);
      if (whole) {
        write(to.vector(column), gradient_vector<T>(mode, c, batch[i], column, -1));
      } else if (index >= stretch.begin && index < stretch.end) {
        to.store(column, gradient_vector<T>(mode, c, batch[i], column, index == place.vector ? place.element : -1),
                 write);
      }
    }
  };
  const std::int64_t last = stretch.from + (stretch.end - 1 - stretch.from) / kTile * kTile;
  for (std::int64_t tile = last; tile >= stretch.from; tile -= kTile) {
    if (tile >= stretch.begin && tile + kTile <= stretch.end && tile != hidden && to.by_vectors)
      give_out(tile, std::true_type{});
    else
      give_out(tile, std::false_type{});
  }
}

}  // namespace plusmax::cross_entropy
