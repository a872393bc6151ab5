// The certified reference of a timed call: of every distinct token, and of a sample of its gradients.
#pragma once

#include "properties/ops/linear_cross_entropy/bench_data.hpp"
#include "properties/ops/linear_cross_entropy/launch.hpp"
#include "reference/cross_entropy_reduction.hpp"
#include "reference/linear_cross_entropy_bound.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

// Rows of dX, rows of dW, and the columns that are looked at in both; ascending.
struct GradientSample {
  std::vector<std::int64_t> tokens, classes, features;
};
GradientSample sample_of(const BenchData&);

// A sampled gradient, [rows, features] of the sample.
struct SampledGradient {
  std::vector<reference::Certified> want;
  std::vector<reference::ResultBound> bounds;
};

class BenchExact {
 public:
  BenchExact(const BenchData&, GradientSample);
  BenchExact(const BenchExact&) = delete;  // the input looks into it

  const GradientSample& sample() const { return sample_; }
  // Of the token, one of the distinct ones; null if it is ignored.
  const reference::LinearToken* token(std::int64_t distinct) const;

  // What a launch with this plan may be off by.
  struct Launch {
    const Planning& planning;
    reference::LinearStorage storage;
    reference::LinearCrossEntropyBound bound;  // of the distinct tokens that count
  };
  Launch launch(const Planning&) const;
  const reference::CrossEntropyBound& bound(const Launch&, std::int64_t distinct) const;
  reference::ReducedLoss reduced(const Launch&) const;
  SampledGradient dhidden(const Launch&) const;  // of ignored tokens: 0, exactly
  SampledGradient dweight(const Launch&) const;
  SampledGradient dbias(const Launch&) const;  // of the sampled classes

 private:
  // The whole batch at the sampled classes, as a call that has no others.
  struct Columns {
    reference::LinearCrossEntropyInput input;
    std::vector<double> x;  // of the sampled features
    std::vector<std::int64_t> targets;
    reference::LinearCrossEntropy values;
    reference::LinearCrossEntropyBound bound;
  };
  Columns columns(const reference::LinearCrossEntropyBound&) const;
  std::vector<double> sampled_weight() const;  // [vocab, sampled features]
  std::vector<double> before(const std::vector<double>& all, std::span<const std::int64_t> of,
                             std::int64_t columns) const;

  const BenchData& data_;
  GradientSample sample_;
  std::vector<double> upstream_;
  std::vector<std::int64_t> places_;  // of each distinct token among those that count; -1: ignored
  reference::LinearCrossEntropyInput input_;
  reference::LinearCrossEntropy values_;
};

}  // namespace plusmax::properties::linear_cross_entropy
