// One row of a call as the reference sees it, with the bounds of a variant: every number is asked for and judged here.
#pragma once

#include "properties/ops/cross_entropy/exact.hpp"
#include "reference/cross_entropy_verdict.hpp"

#include <cstdint>
#include <vector>

namespace plusmax::properties::cross_entropy {

class RowView {
 public:
  // Valid until the Exact is asked for another row.
  RowView(const Exact&, std::int64_t row, const CrossEntropyShape&, reference::Outputs);
  RowView(const RowView&) = delete;  // the input looks into scratch_

  const reference::CrossEntropyRow& exact() const { return exact_; }
  const reference::CrossEntropyInput& input() const { return input_; }
  const reference::CrossEntropyBound& bound() const { return bound_; }
  reference::ReducedRow reduced() const {
    return {exact_.cross_entropy, exact_.z_loss, bound_.cross_entropy, bound_.z_loss};
  }

  reference::Certified want(reference::CrossEntropyQuestion q) const {
    return reference::cross_entropy_result(input_, exact_, q);
  }
  // `stored`: the type that the number is stored in.
  reference::ResultBound bound_of(reference::CrossEntropyQuestion q, plusmax_dtype stored) const {
    return reference::cross_entropy_result_bound(input_, exact_, shape_, bound_, q, stored);
  }
  // A gradient that is zero by contract is +0 and nothing else.
  reference::Judgement judge(double got, plusmax_dtype stored, reference::CrossEntropyQuestion) const;

 private:
  std::vector<double> scratch_;
  CrossEntropyShape shape_;
  const reference::CrossEntropyRow& exact_;
  reference::CrossEntropyInput input_;
  reference::CrossEntropyBound bound_;
};

}  // namespace plusmax::properties::cross_entropy
