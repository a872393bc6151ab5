// The end of a row's first pass, by one thread: its results, and what its gradient needs.
#pragma once

#include "kernels/cross_entropy/coefficients.cuh"
#include "kernels/cross_entropy/target.cuh"
#include "kernels/cross_entropy/workspace.cuh"

namespace plusmax::cross_entropy {

// Of the whole call.
struct CallSums {
  Divisors divisors;
  double all_weights;
};

// By a whole warp. Waits for the count, whether or not something depends on it: who comes after the rows relies on
// that.
__device__ PLUSMAX_INLINE_ON_DEVICE CallSums call_sums(const Params& p, const Workspace& space) {
  platform::grid_dependency_wait();
  CallSums sums{{1, 1}, static_cast<double>(p.cols)};
  if (p.options.reduction == PLUSMAX_MEAN && p.normalizer != nullptr)
    sums.divisors = {p.normalizer[0], p.normalizer[1]};
  if (!counts_divisors(p) && !sums_weights(p)) return sums;
  const CountPart counted = read_counts(p, space);
  if (counts_divisors(p)) sums.divisors = {counted.value[0], counted.value[1]};
  if (sums_weights(p)) sums.all_weights = counted.value[3];
  return sums;
}

template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE RowFactors<Accum> row_factors(const Params& p, const Settings<Accum>& s,
                                                                  std::int64_t row, const Target& target,
                                                                  const CallSums& call) {
  const float weight = p.weights != nullptr && target.column >= 0 ? p.weights[target.column] : 1.0f;
  const double upstream =
      p.upstream != nullptr && p.dlogits != nullptr ? static_cast<double>(p.upstream[row * p.upstream_stride]) : 1.0;
  const bool none = call.divisors.weight == 0 || call.divisors.rows == 0;
  const double all = s.on_class > 0 ? call.all_weights : 0;
  return {static_cast<Accum>(weight),
          static_cast<Accum>(all),
          static_cast<Accum>(all - static_cast<double>(weight)),
          none ? Accum(0) : static_cast<Accum>(upstream * s.chain / call.divisors.weight),
          none || s.z_loss == 0 ? Accum(0) : static_cast<Accum>(upstream * s.chain / call.divisors.rows),
          none};
}

template <class Accum>
__device__ __forceinline__ void store_at(void* to, std::int64_t index, Accum value) {
  if (to != nullptr) static_cast<Accum*>(to)[index] = value;
}

// A row as its forward pass left it.
template <class Accum>
__device__ __forceinline__ RowSums<Accum> saved_row(const Params& p, std::int64_t row, Accum target_value,
                                                    const Settings<Accum>& s) {
  const Accum* state = static_cast<const Accum*>(p.row_state) + 2 * row;
  return close_row(state[0], state[1], target_value, s);
}

// Losses: without the z-loss, and the z-loss.
template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE void store_losses(const Params& p, const Workspace& space, std::int64_t row,
                                                      Accum loss, Accum z_loss) {
  store_at(p.loss_rows, row, loss + z_loss);
  store_at(p.z_loss, row, z_loss);
  if (p.loss == nullptr) return;
  store_at(space.row_losses, 2 * row, loss);
  store_at(space.row_losses, 2 * row + 1, z_loss);
}

template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE void store_ignored_row(const Params& p, const Workspace& space, std::int64_t row) {
  if (p.backward) return;
  store_losses(p, space, row, Accum(0), Accum(0));
  store_at(p.lse, row, Accum(0));
  store_at(p.row_state, 2 * row, Accum(0));
  store_at(p.row_state, 2 * row + 1, Accum(0));
  if (p.argmax != nullptr) p.argmax[row] = -1;
}

// log S + (m - x), never lse - x: no common offset enters, and at the maximum log S is log1p of the others' sum. With
// smoothing every term is a distance from the maximum, none below 0.
template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE Accum row_loss(const RowSums<Accum>& sums, const Others<Accum>& others,
                                                   Accum target_value, const Settings<Accum>& s,
                                                   const RowFactors<Accum>& f, bool weighted) {
  const Accum from_maximum = sums.shift - target_value;
  if (s.on_class == 0) return f.weight * Math<Accum>::multiply_add(s.scale, from_maximum, sums.log_sum());
  const Accum distance = moved(others.distance, others.mass, others.maximum, sums.shift) + f.weight * from_maximum;
  const Accum on_target = s.on_target * f.weight;
  const Accum lead = weighted ? Math<Accum>::multiply_add(s.on_class, f.all_weights, on_target) : Accum(1);
  return lead * sums.log_sum() + s.scale * (on_target * from_maximum + s.on_class * distance);
}

// `logit` and `value`: the target's, as stored and as capped.
template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE void store_row(const Params& p, const Workspace& space, std::int64_t row,
                                                   const Target& target, const RowSums<Accum>& sums,
                                                   const Others<Accum>& others, Accum logit, Accum value,
                                                   const Settings<Accum>& s, const RowFactors<Accum>& f) {
  const Accum lse = Math<Accum>::multiply_add(s.scale, sums.shift, sums.log_sum());
  const bool defined = target.kind == RowKind::counted && !sums.undefined;
  const Accum loss = defined ? row_loss(sums, others, value, s, f, p.weights != nullptr) : Accum(NAN);
  store_losses(p, space, row, loss, s.z_loss > 0 ? s.z_loss * lse * lse : Accum(0));
  store_at(p.lse, row, lse);
  store_at(p.row_state, 2 * row, sums.maximum);
  store_at(p.row_state, 2 * row + 1, sums.others);
  if (p.argmax == nullptr) return;
  const Best<Accum> own = {logit, target.column};
  p.argmax[row] = target.column >= 0 && better(own, others.best) ? target.column : others.best.column;
}

}  // namespace plusmax::cross_entropy
