#include "properties/ops/logsumexp/inspect.hpp"

#include "properties/ops/logsumexp/measure.hpp"
#include "reference/verdict.hpp"

#include <algorithm>

namespace plusmax::properties::logsumexp {

std::vector<RowResult> inspect(const Case& of, const Subject& subject, InspectLimits most) {
  const auto rows = rows_of(of);
  const Layout layout = layout_of(of);
  const ErrorShape shape = error_shape(subject, of.dtype, of.rows, of.cols, layout);
  const Results results = execute(subject, *rows, layout, execution_of(subject));
  std::vector<RowResult> out;
  std::vector<double> scratch;
  for (std::int64_t row = 0; row < std::min(of.rows, most.rows); ++row) {
    const reference::LogsumexpRow& exact = rows->exact(row);
    const double got = results.lse[static_cast<std::size_t>(row)];
    const reference::Judgement judged = reference::judge_logsumexp(
        got, of.dtype, exact, reference::logsumexp_bound(exact, shape), rows->row(row, scratch));
    out.push_back({row, "lse", judged.passed, got, value_of(exact), judged.error, judged.bound, judged.ratio, judged.ulps,
                   reference::name_of(exact.value_class)});
  }
  return out;
}

std::vector<RowBound> explain(const Case& of, const Subject& subject, InspectLimits most) {
  const auto rows = rows_of(of);
  const ErrorShape shape = error_shape(subject, of.dtype, of.rows, of.cols, layout_of(of));
  std::vector<RowBound> out;
  for (std::int64_t row = 0; row < std::min(of.rows, most.rows); ++row) {
    const reference::LogsumexpRow& exact = rows->exact(row);
    RowBound entry{row, "lse", reference::name_of(exact.value_class), value_of(exact), 0, 0, 0, {}};
    if (exact.value_class == reference::ValueClass::finite) {
      const reference::LogsumexpBound bound = reference::logsumexp_bound(exact, shape);
      entry.bound = bound.value, entry.probabilistic = bound.probabilistic, entry.sum_relative = bound.sum_relative;
      entry.terms = reference::explain_logsumexp_bound(exact, shape);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace plusmax::properties::logsumexp
