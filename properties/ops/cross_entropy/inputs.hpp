// What a call of cross_entropy gets: the logits and where they lie, a target a row, weights, upstream gradients, options.
#pragma once

#include "properties/execution.hpp"
#include "properties/ops/cross_entropy/options.hpp"
#include "properties/rows.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace plusmax::properties::cross_entropy {

struct Call {
  std::shared_ptr<const Rows> rows;
  Layout layout;
  std::int64_t gradient_stride = 0;  // elements; of a gradient out of place
  std::int64_t gradient_phase = 0;   // as Layout::phase
  Options options;
  std::vector<std::int64_t> targets;  // [rows]
  std::vector<float> weights;         // [cols], or empty: 1
  std::vector<float> upstream;        // [rows], one for all rows, or empty: 1

  std::int64_t target(std::int64_t row) const { return targets[static_cast<std::size_t>(row)]; }
  float upstream_at(std::int64_t row) const {
    if (upstream.empty()) return 1;
    return upstream[upstream.size() == 1 ? 0 : static_cast<std::size_t>(row)];
  }
  bool ignores(std::int64_t row) const { return target(row) == options.ignore_index; }
  bool is_bad(std::int64_t row) const {
    return !ignores(row) && (target(row) < 0 || target(row) >= rows->cols());
  }
};

std::int64_t gradient_stride_of(const Case&, const Options&);
// A whole case.
Call call_of(const Case&);
// The given rows of a call, laid out as a case's rows are, close together.
Call select(const Call&, std::span<const std::int64_t> which, const Layout&);
// The same call on other logits of the same shape, or with every output that fits it: argmax has kernels take a way that
// plain rows do not go otherwise.
Call with_rows(const Call&, Rows);
Call with_all_outputs(Call);
// Factors as the kernels hold them: what is 0 in the type that accumulates is off (docs/contracts.md).
struct Factors {
  double smoothing, z_loss;
};
Factors factors_of(const Call&);

}  // namespace plusmax::properties::cross_entropy
