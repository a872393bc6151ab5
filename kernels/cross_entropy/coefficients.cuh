// What the second pass multiplies by, the same for a whole row.
#pragma once

#include "kernels/cross_entropy/sums.cuh"

namespace plusmax::cross_entropy {

template <class Accum>
struct Coefficients {
  Accum shift;   // the row's maximum
  Accum ratio;   // dlogits = ratio exp(scale (v - shift)) - share w, away from the target
  Accum share;   // of eps: the same for every class but for its weight
  Accum target;  // the target's element, from the complement of its probability
};

// What losses and gradients are divided by.
struct Divisors {
  double weight;  // Z: of what has class weights
  double rows;    // num_valid: of the z-loss
};

// What a row has of its own beside its logits. Each factor is made in f64 and rounded once.
template <class Accum>
struct RowFactors {
  Accum weight;               // w_y
  Accum all_weights, others;  // W, and without w_y
  Accum per_weight, per_row;  // u s over either divisor
  bool none;                  // nothing to divide by: zeros
};

// p itself is never rounded: the ratio holds 1 / sum, and the target's element is -others / sum times its factor.
template <class Accum>
__device__ PLUSMAX_INLINE_ON_DEVICE Coefficients<Accum> coefficients_of(const RowSums<Accum>& row,
                                                                        const Settings<Accum>& s,
                                                                        const RowFactors<Accum>& f, bool bad) {
  const Accum complement = row.others / row.sum;
  Coefficients<Accum> c;
  c.shift = row.shift;
  c.share = s.on_class * f.per_weight;
  Accum lead = f.weight * f.per_weight;
  c.target = -(f.weight * complement) * f.per_weight;
  if (s.on_class > 0) {
    lead = Math<Accum>::multiply_add(s.on_class, f.all_weights, s.on_target * f.weight) * f.per_weight;
    // (eps / V) (W p - w) = (eps / V) (other weights p - w (1 - p))
    c.target = Math<Accum>::multiply_add(c.share, f.others * (row.target / row.sum),
                                         -((s.on_target + s.on_class) * f.weight * complement) * f.per_weight);
  }
  if (s.z_loss > 0) {
    const Accum lse = Math<Accum>::multiply_add(s.scale, row.shift, row.log_sum());
    const Accum per_row = f.per_row == 0 ? Accum(0) : s.twice_z_loss * lse * f.per_row;  // lse may have overflowed
    lead += per_row;
    c.target = Math<Accum>::multiply_add(per_row, row.target / row.sum, c.target);
  }
  c.ratio = lead / row.sum;
  if (f.none) c.ratio += Accum(0), c.share += Accum(0), c.target += Accum(0);  // a zero of either sign becomes +0
  if (bad || row.undefined) c.ratio = c.share = c.target = Accum(NAN);
  return c;
}

}  // namespace plusmax::cross_entropy
