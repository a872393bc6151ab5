// Catches a single loss that is not that of its rows: ignored rows counted, a mean of means, a z-loss divided by
// weights.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/exact.hpp"
#include "properties/ops/cross_entropy/measure.hpp"
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"

#include <cmath>
#include <limits>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr std::int64_t kMostRows = 300;  // of a case

reference::Certified as_exact(double value) {
  const auto of_class = reference::classify(value);
  return {of_class, {of_class == reference::ValueClass::finite ? value : 0, 0}, 0};
}

// What the call says of a row, taken for exact: its loss was the sum of two parts, rounded once.
reference::ReducedRow row_of(const Results& results, std::int64_t r, double unit_roundoff) {
  const double loss = results.loss.at(r), z_loss = results.z_loss.at(r);
  reference::ReducedRow row{as_exact(loss - z_loss), as_exact(z_loss), {}, {}};
  row.cross_entropy.value = reference::two_sum(loss, -z_loss);
  if (z_loss != 0) row.cross_entropy_bound.value = unit_roundoff * std::fabs(loss);
  return row;
}

void against_rows(const char* what, const Exact& exact, const Measured& at, Tally& tally) {
  std::vector<reference::ReducedRow> rows;
  bool tells = true;
  for (std::int64_t r = 0; r < exact.call().rows->rows(); ++r) {
    rows.push_back(row_of(at.results, r, at.shape.sum.unit_roundoff));
    // An infinite z-loss hides what the rest of the loss was.
    tells = tells && (std::isfinite(at.results.z_loss.at(r)) || std::isnan(at.results.loss.at(r)));
  }
  if (!tells) return tally.part_skipped("a z-loss that is infinite");
  const auto want = reduced_of(exact, rows, at.shape);
  const double got = at.results.reduced.at(0);
  tally.judge(what, 0, got, value_of(want.loss),
              reference::judge_reduced_loss(got, reference::result_dtype(exact.call().rows->dtype()), want),
              exact.call().rows->rows() * exact.call().rows->cols());
}

std::optional<Measured> reduced(const char* what, const Subject& subject, const Call& call, Tally& tally) {
  const Exact exact(call);
  auto at = measure(subject, call, execution_of(subject), tally);
  if (!at) return at;
  against_rows(what, exact, *at, tally);
  std::int64_t valid = 0, bad = 0;
  for (std::int64_t r = 0; r < call.rows->rows(); ++r) valid += !call.ignores(r), bad += call.is_bad(r);
  const auto count = [&](const char* name, std::int64_t got, std::int64_t wanted) {
    tally.holds(name, got == wanted, 0, static_cast<double>(got), static_cast<double>(wanted), 0, call.rows->rows());
  };
  count("num_valid", *at->results.num_valid, valid);
  count("bad_targets", *at->results.bad_targets, bad);
  return at;
}

Call whole_or_some(const Case& of) {
  return of.rows <= kMostRows && of.rows * of.cols <= kRelationLogits ? with_all_outputs(call_of(of))
                                                                      : relation_call(of);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  Call call = whole_or_some(of);
  call.options.normalizer.reset();
  call.options.reduction = Reduction::sum;
  const auto sum = reduced("sum", subject, call, tally);
  call.options.reduction = Reduction::mean;
  const auto mean = reduced("mean", subject, call, tally);
  if (sum && mean) {
    Results of_mean, of_sum;
    of_mean.loss = mean->results.loss, of_sum.loss = sum->results.loss;
    same_bits("rows of a sum and of a mean", of_mean, of_sum, of.cols, tally);
  }
  // What the call would count itself, if nothing is rounded on the way.
  const reference::Divisors counted = Exact(call).divisors();
  const bool exactly = call.weights.empty();
  call.options.normalizer = {exactly ? counted.z.hi : 2.5, exactly ? counted.num_valid : 2};
  const auto given = reduced("mean by a normalizer", subject, call, tally);
  if (mean && given && exactly)
    same_bits("a normalizer equal to the count", given->results, mean->results, of.cols, tally);
  tally.finish();
}

}  // namespace
extern const Check reduction;
const Check reduction = {
    "reduction",
    "sum and mean are those of the rows' losses that the same call gave, and its counts those of the targets",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::cross_entropy
