// What bench times, small enough to draw and to know exactly: the first tokens with all that belongs to them, which
// repeat over the batch, and the first rows of W, which repeat over the classes. Bias and class weights do not.
#pragma once

#include "properties/case.hpp"
#include "properties/ops/linear_cross_entropy/options.hpp"

#include <cstdint>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

struct BenchData {
  // Throws UsageError for a case that is not dense, not drawn, or whose gradients are NaN.
  explicit BenchData(const Case&);

  Case whole;
  Options options;
  std::int64_t distinct_tokens, distinct_classes;
  std::vector<double> hidden, weight;                // [distinct_tokens, features], [distinct_classes, features]
  std::vector<double> bias;                          // [vocab], or empty
  std::vector<std::int64_t> targets;                 // [distinct_tokens]
  std::vector<float> class_weights;                  // [vocab], or empty
  std::vector<float> upstream;                       // [distinct_tokens], one, or empty
  std::vector<double> dweight_before, dbias_before;  // [distinct_classes, features], [distinct_classes], or empty

  std::int64_t tokens() const { return whole.rows; }
  std::int64_t vocab() const { return whole.cols; }
  std::int64_t features() const { return options.features; }
  std::int64_t as_distinct(std::int64_t token) const { return token % distinct_tokens; }
  std::int64_t target(std::int64_t token) const { return targets[static_cast<std::size_t>(as_distinct(token))]; }
  bool ignores(std::int64_t token) const { return target(token) == options.ignore_index; }
  bool is_target(std::int64_t column) const;      // of a token that counts
  std::vector<std::int64_t> all_targets() const;  // [tokens]
  plusmax_dtype dweight_type() const { return options.own_dweight_type ? whole.dtype : PLUSMAX_F32; }
};

}  // namespace plusmax::properties::linear_cross_entropy
