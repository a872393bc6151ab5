#include "properties/ops/cross_entropy/inspect.hpp"

#include "properties/ops/cross_entropy/measure.hpp"
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::CrossEntropyQuestion;
using reference::CrossEntropyResult;

const char* reduced_name(const Options& o) { return o.reduction == Reduction::sum ? "sum" : "mean"; }

// The columns of a gradient that are worth a line: the first ones, and the target's.
std::vector<std::size_t> columns(const Call& call, std::int64_t row, std::int64_t most) {
  std::vector<std::size_t> list;
  const std::int64_t first = std::min(call.rows->cols(), most);
  for (std::int64_t j = 0; j < first; ++j) list.push_back(static_cast<std::size_t>(j));
  const std::int64_t y = call.target(row);
  if (!call.ignores(row) && !call.is_bad(row) && y >= first) list.push_back(static_cast<std::size_t>(y));
  return list;
}

RowResult line(std::int64_t row, std::string result, double got, const reference::Certified& exact,
               const reference::Judgement& judged) {
  return {row, std::move(result), judged.passed, got, value_of(exact), judged.error, judged.bound, judged.ratio, judged.ulps,
          reference::name_of(exact.value_class)};
}

RowResult whole(std::int64_t row, std::string result, std::int64_t got, std::int64_t want) {
  const double error = std::fabs(static_cast<double>(got) - static_cast<double>(want));
  return {row, std::move(result), got == want, static_cast<double>(got), static_cast<double>(want), error, 0,
          got == want ? 0 : HUGE_VAL, 0, "finite"};
}

class Inspection {
 public:
  Inspection(const Exact& exact, const Measured& measured) : exact_(exact), call_(exact.call()), measured_(measured) {}

  reference::ReducedRow row(std::int64_t r, std::int64_t most_columns, bool shown) {
    const bool has_gradient = !measured_.results.gradient.empty() && shown;
    const RowView view(exact_, r, measured_.shape,
                       has_gradient ? reference::Outputs::loss_and_gradient : reference::Outputs::loss);
    const auto one = [&](std::string name, double got, plusmax_dtype stored, CrossEntropyQuestion question) {
      lines.push_back(line(r, std::move(name), got, view.want(question), view.judge(got, stored, question)));
    };
    const Results& results = measured_.results;
    const plusmax_dtype stored = reference::result_dtype(call_.rows->dtype());
    if (shown && !results.loss.values.empty()) one("loss", results.loss.at(r), stored, {CrossEntropyResult::loss});
    if (shown && !results.z_loss.values.empty()) one("z_loss", results.z_loss.at(r), stored, {CrossEntropyResult::z_loss});
    if (shown && !results.lse.values.empty()) one("lse", results.lse.at(r), stored, {CrossEntropyResult::lse});
    if (shown && !results.argmax.empty())
      lines.push_back(whole(r, "argmax", results.argmax[static_cast<std::size_t>(r)], view.exact().argmax));
    if (!has_gradient) return view.reduced();
    std::vector<double> gradient;
    results.gradient_row(r, call_.rows->cols(), gradient);
    for (const std::size_t j : columns(call_, r, most_columns))
      one(fmt::format("gradient[{}]", j), gradient[j], results.dtype, {CrossEntropyResult::gradient, j});
    return view.reduced();
  }

  // What a call has one of, as results of row 0.
  void whole_call(const std::vector<reference::ReducedRow>& rows) {
    const Results& results = measured_.results;
    std::int64_t valid = 0, bad = 0;
    for (std::int64_t r = 0; r < call_.rows->rows(); ++r) valid += !call_.ignores(r), bad += call_.is_bad(r);
    if (!results.reduced.values.empty()) {
      const auto exact = reduced_of(exact_, rows, measured_.shape);
      lines.push_back(line(0, reduced_name(call_.options), results.reduced.at(0), exact.loss,
                           reference::judge_reduced_loss(results.reduced.at(0),
                                                         reference::result_dtype(call_.rows->dtype()), exact)));
    }
    if (results.num_valid) lines.push_back(whole(0, "num_valid", *results.num_valid, valid));
    if (results.bad_targets) lines.push_back(whole(0, "bad_targets", *results.bad_targets, bad));
  }

  std::vector<RowResult> lines;

 private:
  const Exact& exact_;
  const Call& call_;
  const Measured& measured_;
};

void explain_row(const Exact& exact, std::int64_t row, const CrossEntropyShape& shape, plusmax_dtype dtype,
                 std::int64_t most_columns, std::vector<RowBound>& out) {
  const Call& call = exact.call();
  const bool has_gradient = call.options.gradient != Gradient::none;
  const RowView view(exact, row, shape,
                     has_gradient ? reference::Outputs::loss_and_gradient : reference::Outputs::loss);
  const auto one = [&](std::string name, CrossEntropyQuestion question, plusmax_dtype stored) {
    const reference::Certified value = view.want(question);
    RowBound entry{row, std::move(name), reference::name_of(value.value_class), value_of(value), 0, 0, 0, {}};
    if (value.value_class == reference::ValueClass::finite &&
        view.exact().target == reference::TargetClass::counted) {
      entry.bound = view.bound_of(question, stored).value;
      entry.sum_relative = view.bound().sum_relative;
      if (entry.bound > 0)
        entry.terms = reference::explain_cross_entropy_bound(view.input(), view.exact(), shape, question, stored);
    }
    out.push_back(std::move(entry));
  };
  const plusmax_dtype stored = reference::result_dtype(dtype);
  if (call.options.outputs & kLoss) one("loss", {CrossEntropyResult::loss}, stored);
  if (call.options.outputs & kZLoss) one("z_loss", {CrossEntropyResult::z_loss}, stored);
  if (call.options.outputs & kLse) one("lse", {CrossEntropyResult::lse}, stored);
  if (!has_gradient) return;
  for (const std::size_t j : columns(call, row, most_columns))
    one(fmt::format("gradient[{}]", j), {CrossEntropyResult::gradient, j}, dtype);
}

}  // namespace

std::vector<RowResult> inspect(const Case& of, const Subject& subject, InspectLimits most) {
  const auto exact = exact_of(of);
  const Measured measured{execute(subject, exact->call(), execution_of(subject)), error_shape(subject, exact->call())};
  Inspection inspection(*exact, measured);
  std::vector<reference::ReducedRow> rows;
  const std::int64_t needed = of.rows * (exact->call().options.reduction != Reduction::none);
  for (std::int64_t r = 0; r < std::max(std::min(of.rows, most.rows), needed); ++r)
    rows.push_back(inspection.row(r, most.cols, r < most.rows));
  inspection.whole_call(rows);
  return std::move(inspection.lines);
}

std::vector<RowBound> explain(const Case& of, const Subject& subject, InspectLimits most) {
  const auto exact = exact_of(of);
  const CrossEntropyShape shape = error_shape(subject, exact->call());
  std::vector<RowBound> out;
  for (std::int64_t r = 0; r < std::min(of.rows, most.rows); ++r)
    explain_row(*exact, r, shape, of.dtype, most.cols, out);
  return out;
}

std::vector<ResultName> results(const Case& of) {
  const Options o = options_of(of);
  std::vector<ResultName> names;
  if (o.outputs & kLoss) names.push_back({"loss", Per::row});
  if (o.outputs & kLse) names.push_back({"lse", Per::row});
  if (o.outputs & kZLoss) names.push_back({"z_loss", Per::row});
  if (o.outputs & kArgmax) names.push_back({"argmax", Per::row});
  if (o.gradient != Gradient::none) names.push_back({"gradient", Per::element});
  if (o.reduction != Reduction::none) {
    names.push_back({reduced_name(o), Per::call});
    names.push_back({"num_valid", Per::call});
  }
  if (o.outputs & kBadTargets) names.push_back({"bad_targets", Per::call});
  return names;
}

}  // namespace plusmax::properties::cross_entropy
