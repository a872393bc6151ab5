#include "properties/ops/logsumexp/measure.hpp"

#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace plusmax::properties::logsumexp {
namespace {

// S as the result states it, against S: |exp(got - lse) - 1|, without what rounding the result may have added.
double sum_ratio(double got, plusmax_dtype type, const reference::LogsumexpRow& exact, const reference::LogsumexpBound& bound) {
  const double error = std::fabs((got - exact.lse.hi) - exact.lse.lo);
  const double rounding = reference::ulp(type, exact.lse.hi) / 2;
  const double of_sum = std::expm1(std::max(0.0, error - rounding));
  return bound.sum_relative > 0 ? of_sum / bound.sum_relative : 0;
}

}  // namespace

double value_of(const reference::LogsumexpRow& exact) {
  using reference::ValueClass;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (exact.value_class) {
    case ValueClass::finite: return exact.lse.hi;
    case ValueClass::positive_infinity: return kInfinity;
    case ValueClass::negative_infinity: return -kInfinity;
    case ValueClass::nan: break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::string relation_refusal(const Case& of, const Subject& subject) {
  std::string why = refusal(subject, of);
  return why.empty() ? properties::relation_refusal(of) : why;
}

std::optional<Measured> measure(const Subject& subject, const Rows& rows, const Layout& layout, const Execution& execution,
                                Tally& tally) {
  if (std::string why = refusal(subject, rows.dtype(), rows.rows(), rows.cols(), layout); !why.empty()) {
    tally.part_skipped(std::move(why));
    return std::nullopt;
  }
  return Measured{execute(subject, rows, layout, execution),
                  error_shape(subject, rows.dtype(), rows.rows(), rows.cols(), layout)};
}

void judge(std::string_view what, plusmax_dtype logits, std::int64_t row, double got, const reference::LogsumexpRow& exact,
           const reference::LogsumexpBound& bound, std::span<const double> data, Tally& tally) {
  const plusmax_dtype type = reference::result_dtype(logits);
  const reference::Judgement verdict = reference::judge_logsumexp(got, type, exact, bound, data);
  tally.judge(what, row, got, value_of(exact), verdict, static_cast<std::int64_t>(exact.cols));
  if (exact.value_class == reference::ValueClass::finite && !verdict.class_mismatch)
    tally.sum_at(sum_ratio(got, type, exact, bound));
}

void judge(std::string_view what, const Rows& rows, std::int64_t row, double got, const ErrorShape& shape, Tally& tally) {
  std::vector<double> scratch;
  const auto& exact = rows.exact(row);
  judge(what, rows.dtype(), row, got, exact, reference::logsumexp_bound(exact, shape), rows.row(row, scratch), tally);
}

void judge_all(std::string_view what, const Rows& rows, const Measured& measured, Tally& tally) {
  for (std::int64_t r = 0; r < rows.rows(); ++r)
    judge(what, rows, r, measured.results.lse[static_cast<std::size_t>(r)], measured.shape, tally);
}

void same_bits(std::string_view what, const Results& got, const Results& want, std::int64_t cols, Tally& tally) {
  for (std::size_t r = 0; r < want.bits.size(); ++r)
    tally.same_bits(what, static_cast<std::int64_t>(r), got.bits[r], want.bits[r], cols);
}

}  // namespace plusmax::properties::logsumexp
