// What a call of linear_cross_entropy gets: X, W and where they lie, bias, a target a token, weights, upstream
// gradients, options.
#pragma once

#include "properties/execution.hpp"
#include "properties/ops/linear_cross_entropy/options.hpp"
#include "properties/rows.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

// Of dX and dW, in elements.
struct Place {
  std::int64_t stride = 0, phase = 0;
};

struct Call {
  std::shared_ptr<const Rows> hidden;  // X [tokens, features]; NaN in ignored tokens of a case
  std::shared_ptr<const Rows> weight;  // W [vocab, features]
  Layout hidden_layout, weight_layout;
  std::vector<double> bias;  // [vocab] exact values, or empty
  Place dhidden, dweight;
  Options options;
  std::vector<std::int64_t> targets;                 // [tokens]
  std::vector<float> class_weights;                  // [vocab], or empty: 1
  std::vector<float> upstream;                       // [tokens], one for all tokens, or empty: 1
  std::vector<double> dweight_before, dbias_before;  // [vocab, features], [vocab]: what is added to; else empty

  plusmax_dtype dtype() const { return hidden->dtype(); }
  plusmax_dtype dweight_type() const { return options.own_dweight_type ? dtype() : PLUSMAX_F32; }
  plusmax_dtype chunk_dtype() const { return options.own_chunk_type ? dtype() : PLUSMAX_F32; }
  std::int64_t tokens() const { return hidden->rows(); }
  std::int64_t vocab() const { return weight->rows(); }
  std::int64_t features() const { return weight->cols(); }
  std::int64_t target(std::int64_t token) const { return targets[static_cast<std::size_t>(token)]; }
  float upstream_at(std::int64_t token) const {
    if (upstream.empty()) return 1;
    return upstream[upstream.size() == 1 ? 0 : static_cast<std::size_t>(token)];
  }
  bool ignores(std::int64_t token) const { return target(token) == options.ignore_index; }
  bool is_bad(std::int64_t token) const { return !ignores(token) && (target(token) < 0 || target(token) >= vocab()); }
  std::int64_t valid() const;   // tokens that are not ignored
  std::int64_t excess() const;  // of those, more than max_valid_tokens
};

// A whole case.
Call call_of(const Case&);
// Its bias alone, [vocab], or empty.
std::vector<double> bias_of(const Case&, const Options&);

}  // namespace plusmax::properties::linear_cross_entropy
