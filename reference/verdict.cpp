#include "reference/verdict.hpp"

#include "reference/dtype.hpp"
#include "reference/oracle.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ratio_of(double error, double bound) {
  if (error == 0) return 0;
  return error / bound;
}

// Ziv: the same question at growing precision.
void escalate(double got, const LogsumexpBound& bound, std::span<const double> row, Judgement& j) {
  for (unsigned bits = kFirstOracleBits; bits <= kLastOracleBits; bits *= 2) {
    ++j.escalations;
    const Decision decision = oracle().compare(row, bits, got, bound.value);
    if (decision == Decision::undecided) continue;
    j.passed = decision == Decision::within;
    return;
  }
  j.certified = false;
}

void judge_finite(double got, const LogsumexpRow& exact, const LogsumexpBound& bound, std::span<const double> row,
                  Judgement& j) {
  j.error = absolute_error(got, exact.lse);
  const double doubt = exact.error + 0x1p-50 * (j.error + bound.value);
  if (exact.error == 0) {
    j.passed = j.error <= bound.value;
  } else if (j.error + doubt <= bound.value || bound.value == kInfinity) {
    j.passed = true;
  } else if (j.error - doubt <= bound.value) {  // neither clearly within nor clearly beyond
    if (row.size() != exact.cols) {
      throw std::invalid_argument("judge_logsumexp: a row of " + std::to_string(row.size()) + " logits given for one of " +
                                  std::to_string(exact.cols));
    }
    escalate(got, bound, row, j);
  }
}
}  // namespace

Judgement judge_logsumexp(double got, plusmax_dtype dtype, const LogsumexpRow& exact, const LogsumexpBound& bound,
                          std::span<const double> row) {
  const plusmax_dtype result = result_dtype(dtype);
  const ValueClass got_class = classify(got);
  Judgement j;
  j.bound = bound.value;
  if (exact.value_class != ValueClass::finite || got_class == ValueClass::nan) {
    j.passed = got_class == exact.value_class;
    j.class_mismatch = !j.passed;
  } else if (got_class != ValueClass::finite) {
    j.error = overflow_error(result, got, exact.lse);
    j.passed = j.error + exact.error <= bound.value && std::isfinite(bound.value);
    j.class_mismatch = !j.passed;
  } else {
    judge_finite(got, exact, bound, row, j);
  }
  if (j.class_mismatch) {
    j.error = j.ratio = j.probabilistic_ratio = j.ulps = kInfinity;
    return j;
  }
  j.ratio = ratio_of(j.error, bound.value);
  j.probabilistic_ratio = ratio_of(j.error, bound.probabilistic);
  if (exact.value_class == ValueClass::finite) j.ulps = ulp_error(result, got, exact.lse);
  return j;
}

}  // namespace plusmax::reference
