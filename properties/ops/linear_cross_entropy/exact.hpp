// The certified reference of a call, made when it is asked for, and what a launch may be off by.
#pragma once

#include "properties/ops/linear_cross_entropy/launch.hpp"
#include "reference/cross_entropy_reduction.hpp"
#include "reference/linear_cross_entropy_bound.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

// Of a batch with these targets, unless the options give them.
reference::Divisors divisors_of(const Options&, std::span<const std::int64_t> targets, std::span<const float> weights,
                                std::int64_t vocab);
reference::CrossEntropyOptions formula_of(const Options&, std::int64_t vocab);
reference::LinearStorage storage_of(const Options&, plusmax_dtype, const plusmax::linear_cross_entropy::Planned&);

class Exact {
 public:
  explicit Exact(Call);
  // A call with the certified values of another one, from which it differs in what they do not depend on: the chunk,
  // types, places, outputs, what gradients are added to.
  Exact(Call, std::shared_ptr<const Exact> like);
  Exact(const Exact&) = delete;  // the input looks into it

  const Call& call() const { return call_; }
  const reference::LinearCrossEntropyInput& input() const { return input_; }
  const reference::LinearCrossEntropy& values() const;
  // Place of a token among those that are not ignored; -1: ignored.
  std::int64_t place(std::int64_t token) const { return places_[static_cast<std::size_t>(token)]; }
  // Beyond max_valid_tokens: its results are NaN.
  bool is_excess(std::int64_t token) const;
  bool any_bad() const { return any_bad_; }

  // dX of counted tokens, dW and dbias; `ends` of chunks, or none (linear_cross_entropy.hpp of the reference).
  const reference::InnerProducts& dhidden() const;
  const reference::InnerProducts& dweight(const std::vector<std::size_t>& ends) const;
  const reference::InnerProducts& dbias() const;

 private:
  Call call_;
  std::vector<double> x_, w_, upstream_;
  std::vector<std::int64_t> places_;
  bool any_bad_ = false;
  reference::LinearCrossEntropyInput input_;
  std::shared_ptr<const Exact> like_;               // whose values these are, or null
  bool same_dweight_ = false, same_dbias_ = false;  // dW and dbias are its, too
  mutable std::optional<reference::LinearCrossEntropy> values_;
  mutable std::optional<reference::InnerProducts> dhidden_, dbias_;
  mutable std::map<std::vector<std::size_t>, reference::InnerProducts> dweight_;  // by the ends of chunks
};

// The bounds of one launch, by its plan and error shape.
class Bounds {
 public:
  Bounds(const Exact&, const Planning&);

  const Exact& exact() const { return exact_; }
  const Planning& planning() const { return planning_; }
  const reference::LinearStorage& storage() const { return storage_; }
  // Of counted tokens, dlogits as the products of dX and dW read them.
  const reference::LinearCrossEntropyBound& tokens() const;
  const reference::InnerProducts& dweight() const { return exact_.dweight(ends_); }
  const std::vector<reference::ResultBound>& of_dhidden() const;
  const std::vector<reference::ResultBound>& of_dweight() const;
  const std::vector<reference::ResultBound>& of_dbias() const;
  reference::ReducedLoss reduced() const;  // NaN for excess tokens

 private:
  const Exact& exact_;
  const Planning& planning_;
  reference::LinearStorage storage_;
  std::vector<std::size_t> ends_;  // of chunks after which dW is rounded
  std::size_t stores_ = 1;
  mutable std::optional<reference::LinearCrossEntropyBound> tokens_;
  mutable std::optional<std::vector<reference::ResultBound>> dhidden_, dweight_, dbias_;
};

// Of a case. The last few are kept.
std::shared_ptr<const Exact> exact_of(const Case&);

}  // namespace plusmax::properties::linear_cross_entropy
