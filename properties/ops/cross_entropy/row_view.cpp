#include "properties/ops/cross_entropy/row_view.hpp"

namespace plusmax::properties::cross_entropy {

RowView::RowView(const Exact& exact, std::int64_t row, const CrossEntropyShape& shape, reference::Outputs outputs)
    : shape_(shape),
      exact_(exact.row(row, outputs)),
      input_(exact.input(row, scratch_)),
      bound_(reference::cross_entropy_bound(input_, exact_, shape_)) {}

reference::Judgement RowView::judge(double got, plusmax_dtype stored, reference::CrossEntropyQuestion q) const {
  const bool zero = q.result == reference::CrossEntropyResult::gradient && exact_.gradient_is_zero &&
                    exact_.gradient_class == reference::ValueClass::finite;
  if (zero) return reference::judge_zero(got);
  return reference::judge_cross_entropy(got, stored, want(q), bound_of(q, stored), input_, q);
}

}  // namespace plusmax::properties::cross_entropy
