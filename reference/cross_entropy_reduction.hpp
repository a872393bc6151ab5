// From rows to the reduced loss, and the divisors of the gradient: docs/contracts.md.
#pragma once

#include "kernels/error_shape.h"
#include "reference/cross_entropy_bound.hpp"

#include <cstdint>
#include <span>

namespace plusmax::reference {

enum class Reduction { none, sum, mean };
enum class EmptyMean { zero, nan };  // what a mean over Z = 0 or num_valid = 0 is

// Z = sum of w_y over rows whose target counts; rows whose target is out of range count in num_valid alone. The
// kernel's Z is a sum in f64, relatively off by z_doubt. none and sum divide by nothing.
Divisors divisors_of(Reduction, std::span<const std::int64_t> targets, std::int64_t ignore_index,
                     std::span<const float> weights, std::size_t cols);
// Those of a normalizer that the caller gave, exact.
Divisors divisors_of(Reduction, double z, double num_valid);

// One row of a reduction: what the reference says of it, and the bounds that its kernel promises.
struct ReducedRow {
  Certified cross_entropy, z_loss;
  ResultBound cross_entropy_bound, z_loss_bound;
};

struct ReducedLoss {
  Certified loss;
  ResultBound bound;
};
// sum: of both parts. mean: CE / Z + z-loss / num_valid, or what `empty` says where nothing is divided; NaN with any
// target out of range. Rows in order, ignored ones included or left out alike.
ReducedLoss reduce(Reduction, std::span<const ReducedRow>, const Divisors&, bool bad_targets, EmptyMean,
                   const CrossEntropyShape&);

}  // namespace plusmax::reference
