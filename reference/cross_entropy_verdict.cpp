#include "reference/cross_entropy_verdict.hpp"

#include "reference/dtype.hpp"

#include <cmath>
#include <limits>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void mismatch(Judgement& j) {
  j.passed = false;
  j.class_mismatch = true;
  j.error = j.ratio = j.probabilistic_ratio = j.ulps = kInfinity;
}

// Ziv: the same question at growing precision.
void escalate(double got, double bound, const CrossEntropyInput& in, CrossEntropyQuestion question, Judgement& j) {
  for (unsigned bits = kFirstOracleBits; bits <= kLastOracleBits; bits *= 2) {
    ++j.escalations;
    const Decision decision = cross_entropy_oracle().compare(in, bits, question, got, bound);
    if (decision == Decision::undecided) continue;
    j.passed = decision == Decision::within;
    return;
  }
  j.certified = false;
}

// `in_doubt(j)` decides what the reference's own error leaves open.
template <class InDoubt>
void judge_finite(double got, plusmax_dtype stored, const Certified& exact, const ResultBound& bound, InDoubt in_doubt,
                  Judgement& j) {
  const bool near_overflow = std::fabs(exact.value.hi) >= largest(stored);
  if (near_overflow && above_overflow(stored, exact.value) > bound.unrounded + exact.error)
    return mismatch(j);  // saturated
  j.error = absolute_error(got, exact.value);
  const double doubt = exact.error == 0 ? 0 : exact.error + 0x1p-50 * (j.error + bound.value);
  if (j.error + doubt <= bound.value) {
    j.passed = true;
  } else if (j.error - doubt <= bound.value) {
    in_doubt(j);
  }
  j.ratio = j.error == 0 ? 0 : j.error / bound.value;
  j.ulps = ulp_error(stored, got, exact.value);
  j.ulp = ulp(stored, exact.value.hi);
}

template <class InDoubt>
Judgement judge(double got, plusmax_dtype stored, const Certified& exact, const ResultBound& bound, InDoubt in_doubt) {
  Judgement j;
  j.bound = bound.value;
  j.judged = bound.judged && std::isfinite(bound.value) && std::isfinite(exact.error);
  const ValueClass is = classify(got);
  if (!j.judged) {
    j.passed = true;
  } else if (exact.value_class != ValueClass::finite || is == ValueClass::nan) {
    if (is == exact.value_class) {
      j.passed = true;
    } else {
      mismatch(j);
    }
  } else if (is != ValueClass::finite) {
    j.error = overflow_error(stored, got, exact.value);
    j.passed = j.error + exact.error <= bound.unrounded;
    if (!j.passed) mismatch(j);
  } else {
    judge_finite(got, stored, exact, bound, in_doubt, j);
  }
  return j;
}
}  // namespace

Judgement judge_cross_entropy(double got, plusmax_dtype stored, const Certified& exact, const ResultBound& bound,
                              const CrossEntropyInput& in, CrossEntropyQuestion question) {
  return judge(got, stored, exact, bound, [&](Judgement& j) { escalate(got, bound.value, in, question, j); });
}

Judgement judge_certified(double got, plusmax_dtype stored, const Certified& exact, const ResultBound& bound) {
  return judge(got, stored, exact, bound, [](Judgement& j) { j.certified = false; });
}

Judgement judge_reduced_loss(double got, plusmax_dtype stored, const ReducedLoss& r) {
  return judge_certified(got, stored, r.loss, r.bound);
}

Judgement judge_zero(double got) {
  Judgement j;
  if (got == 0 && !std::signbit(got)) {
    j.passed = true;
  } else {
    mismatch(j);
  }
  return j;
}

}  // namespace plusmax::reference
