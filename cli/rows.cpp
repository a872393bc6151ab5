#include "cli/rows.hpp"

#include "properties/memory.hpp"
#include "properties/ops/logsumexp.hpp"
#include "reference/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace plusmax::cli {
namespace {

namespace ops = properties::ops;
using properties::Case;
using properties::Subject;
using reference::ValueClass;

double value_of(const reference::LogsumexpRow& exact) {
  switch (exact.value_class) {
    case ValueClass::nan: return std::numeric_limits<double>::quiet_NaN();
    case ValueClass::positive_infinity: return std::numeric_limits<double>::infinity();
    case ValueClass::negative_infinity: return -std::numeric_limits<double>::infinity();
    case ValueClass::finite: break;
  }
  return exact.lse.hi;
}

}  // namespace

std::vector<RowResult> inspect_rows(const Case& of, const Subject& subject, std::int64_t most, std::string& refusal) {
  refusal = ops::refusal(subject, of);
  if (!refusal.empty()) return {};
  const auto rows = properties::rows_of(of);
  const ops::Layout layout = ops::layout_of(of);
  const ErrorShape shape = ops::error_shape(subject, of.dtype, of.rows, of.cols, layout);
  const ops::Results results = ops::execute(subject, *rows, layout, ops::execution_of(subject));
  std::vector<RowResult> out;
  std::vector<double> scratch;
  for (std::int64_t row = 0; row < std::min(of.rows, most); ++row) {
    const reference::LogsumexpRow& exact = rows->exact(row);
    const double got = results.lse[static_cast<std::size_t>(row)];
    const reference::Judgement judged =
        reference::judge_logsumexp(got, of.dtype, exact, reference::logsumexp_bound(exact, shape), rows->row(row, scratch));
    out.push_back({row, judged.passed, got, value_of(exact), judged.error, judged.bound, judged.ratio, judged.ulps,
                   reference::name_of(exact.value_class)});
  }
  return out;
}

std::vector<RowBound> explain_rows(const Case& of, const Subject& subject, std::int64_t most, std::string& refusal) {
  refusal = ops::refusal(subject, of);
  if (refusal.empty()) refusal = properties::memory_refusal(of, *subject.module->device);
  if (!refusal.empty()) return {};
  const auto rows = properties::rows_of(of);
  const ErrorShape shape = ops::error_shape(subject, of.dtype, of.rows, of.cols, ops::layout_of(of));
  std::vector<RowBound> out;
  for (std::int64_t row = 0; row < std::min(of.rows, most); ++row) {
    const reference::LogsumexpRow& exact = rows->exact(row);
    RowBound entry{row, reference::name_of(exact.value_class), value_of(exact), {}, {}};
    if (exact.value_class == ValueClass::finite) {
      entry.bound = reference::logsumexp_bound(exact, shape);
      entry.terms = reference::explain_logsumexp_bound(exact, shape);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace plusmax::cli
