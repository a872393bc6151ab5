#include "properties/ops/cross_entropy/launched.hpp"

#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::ValueClass;
constexpr std::int64_t kMostColumns = 160;  // that stand for a row
constexpr std::int64_t kSmall = 4096;       // elements

}  // namespace

const RowView& Launched::look_at(std::int64_t row) const {
  if (row == row_) return *view_;
  row_ = row;
  const bool with_gradient = !results().gradient.empty();
  const auto outputs = with_gradient ? reference::Outputs::loss_and_gradient : reference::Outputs::loss;
  view_ = std::make_unique<RowView>(*exact_, row, shape(), outputs);
  if (with_gradient) results().gradient_row(row, cols(), elements_);
  return *view_;
}

const reference::CrossEntropyRow& Launched::exact_row(std::int64_t row) const {
  return look_at(row).exact();
}

bool Launched::differentiable(std::int64_t row) const {
  const auto& exact = exact_row(row);
  return exact.target == reference::TargetClass::counted && exact.gradient_class == ValueClass::finite &&
         !exact.gradient_is_zero;
}

Number Launched::of(reference::CrossEntropyQuestion question, std::int64_t row, const Output& output) const {
  const RowView& view = look_at(row);
  return number_of(output.at(row), view.want(question), view.bound_of(question, PLUSMAX_F64));
}

bool Launched::loss_promised(std::int64_t row) const {
  return look_at(row).bound_of({reference::CrossEntropyResult::loss}, PLUSMAX_F64).judged;
}

Number Launched::gradient(std::int64_t row, std::int64_t column) const {
  const RowView& view = look_at(row);
  const reference::CrossEntropyQuestion question{reference::CrossEntropyResult::gradient,
                                                 static_cast<std::size_t>(column)};
  Number n = number_of(elements_[question.column], view.want(question), view.bound_of(question, results().dtype));
  n.promised = n.promised && std::fabs(n.want) + n.slack < reference::largest(results().dtype);
  return n;
}

Number Launched::reduced() const {
  std::vector<reference::ReducedRow> parts;
  for (std::int64_t r = 0; r < rows(); ++r) parts.push_back(look_at(r).reduced());
  const reference::ReducedLoss all = reduced_of(*exact_, parts, shape());
  return number_of(results().reduced.at(0), all.loss, all.bound);
}

void Launched::judge(std::string_view what, Tally& tally) const {
  row_ = -1;  // the reference may forget it
  if (rows() * cols() <= kSmall) return judge_all(what, *exact_, measured_, tally);
  Measured others = measured_;
  others.results.gradient.clear();
  judge_all(what, *exact_, others, tally);
  for (std::int64_t r = 0; r < rows() && !results().gradient.empty(); ++r)
    for (const std::int64_t j : columns_of(call(), r)) {
      const RowView& view = look_at(r);
      const auto column = static_cast<std::size_t>(j);
      judge_element(what, view, r, {reference::CrossEntropyResult::gradient, column}, elements_[column],
                    results().dtype, tally);
    }
}

std::optional<Launched> launched(const Subject& subject, const Call& call, Tally& tally) {
  auto measured = measure(subject, call, execution_of(subject), tally);
  if (!measured) return std::nullopt;
  return Launched(call, std::move(*measured));
}

std::vector<std::int64_t> columns_of(const Call& call, std::int64_t row) {
  auto columns = sample_rows(call.rows->cols(), kMostColumns);
  if (!call.ignores(row) && !call.is_bad(row)) columns.push_back(call.target(row));
  return columns;
}

}  // namespace plusmax::properties::cross_entropy
