#include "properties/ops/cross_entropy/launched.hpp"

#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::ValueClass;
constexpr std::int64_t kMostColumns = 160;  // that stand for a row
constexpr std::int64_t kSmall = 4096;       // elements

Number number(double got, const reference::Certified& want, const reference::ResultBound& bound) {
  Number n{got, value_of(want), bound.value + want.error, false};
  n.promised = want.value_class == ValueClass::finite && std::isfinite(got) && bound.judged && std::isfinite(n.slack);
  return n;
}

}  // namespace

void Launched::look_at(std::int64_t row) const {
  if (row == row_) return;
  row_ = row;
  const bool with_gradient = !results().gradient.empty();
  known_ = &exact_->row(row, with_gradient ? reference::Outputs::loss_and_gradient : reference::Outputs::loss);
  input_ = exact_->input(row, scratch_);
  bound_ = reference::cross_entropy_bound(input_, *known_, shape());
  if (with_gradient) results().gradient_row(row, cols(), elements_);
}

const reference::CrossEntropyRow& Launched::exact_row(std::int64_t row) const {
  look_at(row);
  return *known_;
}

bool Launched::differentiable(std::int64_t row) const {
  const auto& exact = exact_row(row);
  return exact.target == reference::TargetClass::counted && exact.gradient_class == ValueClass::finite &&
         !exact.gradient_is_zero;
}

Number Launched::of(reference::CrossEntropyQuestion question, std::int64_t row, const Output& output) const {
  look_at(row);
  return number(output.at(row), reference::cross_entropy_result(input_, *known_, question),
                reference::cross_entropy_result_bound(input_, *known_, shape(), bound_, question, PLUSMAX_F64));
}

Number Launched::gradient(std::int64_t row, std::int64_t column) const {
  look_at(row);
  const auto j = static_cast<std::size_t>(column);
  const auto want = reference::cross_entropy_gradient(input_, *known_, j);
  const auto bound = reference::cross_entropy_gradient_bound(input_, *known_, shape(), bound_, j, results().dtype);
  Number n = number(elements_[j], want, bound);
  n.promised = n.promised && std::fabs(n.want) + n.slack < reference::largest(results().dtype);
  return n;
}

Number Launched::reduced() const {
  std::vector<reference::ReducedRow> parts;
  for (std::int64_t r = 0; r < rows(); ++r) {
    const auto& exact = exact_row(r);
    parts.push_back({exact.cross_entropy, exact.z_loss, bound_.cross_entropy, bound_.z_loss});
  }
  const reference::ReducedLoss all = reduced_of(*exact_, parts, shape());
  return number(results().reduced.at(0), all.loss, all.bound);
}

void Launched::judge_gradient(std::string_view what, std::int64_t row, std::int64_t column, Tally& tally) const {
  look_at(row);
  const auto j = static_cast<std::size_t>(column);
  const reference::CrossEntropyQuestion question{reference::CrossEntropyResult::gradient, j};
  const auto want = reference::cross_entropy_result(input_, *known_, question);
  const bool zero = known_->gradient_is_zero && known_->gradient_class == ValueClass::finite;
  const auto verdict = zero ? reference::judge_zero(elements_[j])
                            : reference::judge_cross_entropy(elements_[j], results().dtype, want,
                                                             reference::cross_entropy_gradient_bound(
                                                                 input_, *known_, shape(), bound_, j, results().dtype),
                                                             input_, question);
  if (!verdict.judged) return;
  tally.judge(verdict.passed ? std::string(what) : fmt::format("{}: gradient of column {}", what, column), row,
              elements_[j], value_of(want), verdict, 1);
}

void Launched::judge(std::string_view what, Tally& tally) const {
  row_ = -1;  // the reference may forget it
  if (rows() * cols() <= kSmall) return judge_all(what, *exact_, measured_, tally);
  Measured others = measured_;
  others.results.gradient.clear();
  judge_all(what, *exact_, others, tally);
  for (std::int64_t r = 0; r < rows() && !results().gradient.empty(); ++r)
    for (const std::int64_t j : columns_of(call(), r)) judge_gradient(what, r, j, tally);
}

std::optional<Launched> launched(const Subject& subject, const Call& call, Tally& tally) {
  auto measured = measure(subject, call, execution_of(subject), tally);
  if (!measured) return std::nullopt;
  return Launched(call, std::move(*measured));
}

void agree(std::string_view what, std::int64_t row, const Number& got, const Number& want, double factor,
           std::int64_t logits, Tally& tally) {
  if (!got.promised || !want.promised) return tally.part_skipped("no two finite results to compare");
  const double expected = factor * want.got;
  tally.within(what, row, got.got, expected,
               got.slack + std::fabs(factor) * want.slack + std::ldexp(std::fabs(expected), -52), logits);
}

std::vector<std::int64_t> columns_of(const Call& call, std::int64_t row) {
  auto columns = sample_rows(call.rows->cols(), kMostColumns);
  if (!call.ignores(row) && !call.is_bad(row)) columns.push_back(call.target(row));
  return columns;
}

}  // namespace plusmax::properties::cross_entropy
