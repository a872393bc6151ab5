#include "properties/ops/linear_cross_entropy/bench_exact.hpp"

#include "properties/losses/reduction.hpp"
#include "properties/ops/linear_cross_entropy/exact.hpp"
#include "properties/rows.hpp"

#include <algorithm>
#include <utility>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr std::int64_t kSampledTokens = 16, kSampledClasses = 56, kSampledTargets = 8, kSampledFeatures = 64;

SampledGradient sampled(const reference::InnerProducts& sums, std::vector<reference::ResultBound> bounds) {
  SampledGradient out;
  for (const reference::InnerProduct& sum : sums.elements) out.want.push_back(sum.sum);
  out.bounds = std::move(bounds);
  return out;
}

}  // namespace

GradientSample sample_of(const BenchData& data) {
  GradientSample sample;
  sample.tokens = sample_rows(data.tokens(), kSampledTokens);
  sample.classes = sample_rows(data.vocab(), kSampledClasses);
  sample.features = sample_rows(data.features(), kSampledFeatures);
  std::int64_t targets = 0;
  for (std::int64_t t = 0; t < data.distinct_tokens && targets < kSampledTargets; ++t)
    if (!data.ignores(t)) sample.classes.push_back(data.target(t)), ++targets;
  std::sort(sample.classes.begin(), sample.classes.end());
  sample.classes.erase(std::unique(sample.classes.begin(), sample.classes.end()), sample.classes.end());
  return sample;
}

BenchExact::BenchExact(const BenchData& data, GradientSample sample) : data_(data), sample_(std::move(sample)) {
  for (const float u : data.upstream) upstream_.push_back(static_cast<double>(u));
  std::int64_t counted = 0;
  for (std::int64_t t = 0; t < data.distinct_tokens; ++t) places_.push_back(data.ignores(t) ? -1 : counted++);
  input_.tokens = static_cast<std::size_t>(data.distinct_tokens);
  input_.vocab = static_cast<std::size_t>(data.vocab());
  input_.features = static_cast<std::size_t>(data.features());
  input_.x = data.hidden;
  input_.w = data.weight;
  input_.distinct_classes = static_cast<std::size_t>(data.distinct_classes);
  input_.bias = data.bias;
  input_.targets = data.targets;
  input_.ignore_index = data.options.ignore_index;
  input_.options = formula_of(data.options, data.vocab());
  input_.class_weights = data.class_weights;
  input_.upstream = upstream_;
  input_.divisors = divisors_of(data.options, data.all_targets(), data.class_weights, data.vocab());
  values_ = reference::linear_cross_entropy(input_);
}

const reference::LinearToken* BenchExact::token(std::int64_t distinct) const {
  const std::int64_t place = places_[static_cast<std::size_t>(distinct)];
  return place < 0 ? nullptr : &values_.tokens[static_cast<std::size_t>(place)];
}

BenchExact::Launch BenchExact::launch(const Planning& planning) const {
  const reference::LinearStorage storage = storage_of(data_.options, data_.whole.dtype, planning.planned);
  return {planning, storage, reference::linear_cross_entropy_bound(input_, values_, planning.shape, storage)};
}

const reference::CrossEntropyBound& BenchExact::bound(const Launch& of, std::int64_t distinct) const {
  return of.bound.tokens[static_cast<std::size_t>(places_[static_cast<std::size_t>(distinct)])];
}

reference::ReducedLoss BenchExact::reduced(const Launch& of) const {
  std::vector<reference::ReducedRow> rows;
  for (std::int64_t t = 0; t < data_.tokens(); ++t) {
    const std::int64_t distinct = data_.as_distinct(t);
    const reference::LinearToken* token = this->token(distinct);
    if (token == nullptr) continue;
    const reference::CrossEntropyBound& b = bound(of, distinct);
    rows.push_back({token->row.cross_entropy, token->row.z_loss, b.cross_entropy, b.z_loss});
  }
  const auto empty = data_.options.nan_if_empty ? reference::EmptyMean::nan : reference::EmptyMean::zero;
  return reference::reduce(reduction_of(data_.options.reduction), rows, input_.divisors, false, empty,
                           of.planning.shape.cross_entropy);
}

std::vector<double> BenchExact::sampled_weight() const {
  std::vector<double> w;
  w.reserve(input_.vocab * sample_.features.size());
  for (std::size_t j = 0; j < input_.vocab; ++j)
    for (const std::int64_t k : sample_.features)
      w.push_back(data_.weight[reference::weight_row(input_, j) * input_.features + static_cast<std::size_t>(k)]);
  return w;
}

// As a call of the sampled tokens with the sampled features alone: a sum over the classes sees no others.
SampledGradient BenchExact::dhidden(const Launch& of) const {
  const std::vector<double> w = sampled_weight();
  reference::LinearCrossEntropyInput in = input_;
  in.features = sample_.features.size();
  in.w = w, in.distinct_classes = 0;
  reference::LinearCrossEntropy values;
  reference::LinearCrossEntropyBound bound;
  std::vector<std::size_t> counted;  // of the sample
  for (std::size_t s = 0; s < sample_.tokens.size(); ++s) {
    const std::int64_t distinct = data_.as_distinct(sample_.tokens[s]);
    const std::int64_t place = places_[static_cast<std::size_t>(distinct)];
    if (place < 0) continue;
    counted.push_back(s);
    values.tokens.push_back(values_.tokens[static_cast<std::size_t>(place)]);
    bound.tokens.push_back(of.bound.tokens[static_cast<std::size_t>(place)]);
    const auto errors = of.bound.dlogit_errors.begin() + place * data_.vocab();
    bound.dlogit_errors.insert(bound.dlogit_errors.end(), errors, errors + data_.vocab());
  }
  SampledGradient all;
  const reference::Certified zero{reference::ValueClass::finite, {}, 0};
  all.want.assign(sample_.tokens.size() * in.features, zero);
  all.bounds.resize(all.want.size());
  if (counted.empty()) return all;
  const reference::InnerProducts sums = reference::dx_of(in, values);
  const SampledGradient some = sampled(sums, reference::dx_bounds(in, bound, sums, of.planning.shape, of.storage));
  for (std::size_t c = 0; c < counted.size(); ++c)
    for (std::size_t k = 0; k < in.features; ++k) {
      all.want[counted[c] * in.features + k] = some.want[c * in.features + k];
      all.bounds[counted[c] * in.features + k] = some.bounds[c * in.features + k];
    }
  return all;
}

BenchExact::Columns BenchExact::columns(const reference::LinearCrossEntropyBound& distinct) const {
  Columns c;
  for (std::int64_t t = 0; t < data_.tokens(); ++t) {
    const std::int64_t from = data_.as_distinct(t), place = places_[static_cast<std::size_t>(from)];
    c.targets.push_back(data_.target(t));
    for (const std::int64_t k : sample_.features)
      c.x.push_back(data_.hidden[static_cast<std::size_t>(from * data_.features() + k)]);
    if (place < 0) continue;
    const reference::LinearToken& whole = values_.tokens[static_cast<std::size_t>(place)];
    reference::LinearToken& token = c.values.tokens.emplace_back();
    token.token = static_cast<std::size_t>(t);
    for (const std::int64_t j : sample_.classes) {
      token.gradient.push_back(whole.gradient[static_cast<std::size_t>(j)]);
      token.gradient_errors.push_back(whole.gradient_errors[static_cast<std::size_t>(j)]);
      c.bound.dlogit_errors.push_back(distinct.dlogit_errors[static_cast<std::size_t>(place * data_.vocab() + j)]);
    }
    c.bound.tokens.push_back(distinct.tokens[static_cast<std::size_t>(place)]);
  }
  c.input = input_;
  c.input.tokens = static_cast<std::size_t>(data_.tokens());
  c.input.vocab = sample_.classes.size();
  c.input.features = sample_.features.size();
  return c;
}

std::vector<double> BenchExact::before(const std::vector<double>& all, std::span<const std::int64_t> of,
                                       std::int64_t columns) const {
  std::vector<double> some;
  if (all.empty()) return some;
  for (const std::int64_t j : sample_.classes)
    for (const std::int64_t k : of)
      some.push_back(all[static_cast<std::size_t>((j % data_.distinct_classes) * columns + k)]);
  return some;
}

SampledGradient BenchExact::dweight(const Launch& of) const {
  Columns c = columns(of.bound);
  c.input.x = c.x, c.input.targets = c.targets;
  std::vector<std::size_t> ends;
  std::size_t stores = 1;
  if (of.storage.accumulator != PLUSMAX_F32) {
    const auto& planned = of.planning.planned;
    stores = static_cast<std::size_t>(planned.chunks);
    ends = reference::chunk_ends(c.input, static_cast<std::size_t>(planned.chunk), reference::IgnoredTokens::left_out);
  }
  const reference::InnerProducts sums =
      reference::dw_of(c.input, c.values, ends, before(data_.dweight_before, sample_.features, data_.features()));
  return sampled(sums, reference::dw_bounds(c.input, c.bound, sums, stores, of.planning.shape, of.storage));
}

// Summed in f32, from dlogits that are not yet rounded for the products.
SampledGradient BenchExact::dbias(const Launch& of) const {
  reference::LinearStorage storage = of.storage;
  storage.dlogits = storage.logits;
  storage.accumulator = PLUSMAX_F32;
  Columns c = columns(storage.dlogits == of.storage.dlogits
                          ? of.bound
                          : reference::linear_cross_entropy_bound(input_, values_, of.planning.shape, storage));
  c.input.x = c.x, c.input.targets = c.targets;
  constexpr std::int64_t kFirst[] = {0};
  const reference::InnerProducts sums =
      reference::dbias_of(c.input, c.values, {}, before(data_.dbias_before, kFirst, 1));
  return sampled(sums, reference::dbias_bounds(c.input, c.bound, sums, 1, of.planning.shape, storage));
}

}  // namespace plusmax::properties::linear_cross_entropy
