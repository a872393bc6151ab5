// The certified reference of a call, row by row: made when it is asked for, equal rows once.
#pragma once

#include "properties/ops/cross_entropy/inputs.hpp"
#include "reference/cross_entropy_reduction.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace plusmax::properties::cross_entropy {

class Exact {
 public:
  explicit Exact(Call);
  Exact(Call, const reference::Divisors&);  // of more rows than the call has

  const Call& call() const { return call_; }
  const reference::Divisors& divisors() const { return divisors_; }

  // Equal for rows that must have equal results: same logits, target and upstream gradient.
  using Identity = std::tuple<std::size_t, std::int64_t, float>;
  Identity identity(std::int64_t row) const;
  // What the reference is asked; `scratch` holds the logits if they are stored nowhere else.
  reference::CrossEntropyInput input(std::int64_t row, std::vector<double>& scratch) const;
  // Valid until the next call.
  const reference::CrossEntropyRow& row(std::int64_t row, reference::Outputs) const;

 private:
  Call call_;
  reference::Divisors divisors_;
  mutable std::map<std::pair<Identity, bool>, reference::CrossEntropyRow> known_;
  mutable std::size_t kept_ = 0;  // columns of all gradients in known_
};

// Of a call with these targets, its own if they are all of them.
reference::Divisors divisors_of(const Call&, std::span<const std::int64_t> targets);
// The reduced loss of a call, from all of its rows.
reference::ReducedLoss reduced_of(const Exact&, std::span<const reference::ReducedRow>, const CrossEntropyShape&);

// Of a case. The last few are kept.
std::shared_ptr<const Exact> exact_of(const Case&);

}  // namespace plusmax::properties::cross_entropy
