#include "properties/tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::properties {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

bool telling(double bound, double magnitude) { return bound <= 1e-3 * std::max(1.0, std::fabs(magnitude)); }

int ulp_bin(double ulps) {
  const double size = std::fabs(ulps);
  if (!(size >= 0.25)) return 0;
  const int bin = std::isinf(size) ? 64 : std::ilogb(size) + 3;  // [2^(k-3), 2^(k-2))
  return ulps < 0 ? -bin : bin;
}

void Tally::counted(bool could_fail, std::int64_t logits) {
  ++record_.compared;
  record_.logits += static_cast<std::uint64_t>(logits);
  if (could_fail) ++able_to_fail_;
}

void Tally::worst(std::int64_t row, double got, double want, double error, double bound, double ratio) {
  if (seen_worst_ && ratio <= record_.worst_ratio) return;
  seen_worst_ = true;
  record_.worst_ratio = ratio;
  record_.worst_row = row;
  record_.got = got;
  record_.want = want;
  record_.error = error;
  record_.bound = bound;
}

void Tally::judge(std::string_view what, std::int64_t row, double got, double want, const reference::Judgement& verdict,
                  std::int64_t logits) {
  if (std::isfinite(want) && !verdict.class_mismatch) {
    record_.worst_probabilistic = std::max(record_.worst_probabilistic, verdict.probabilistic_ratio);
    record_.worst_ulps = std::max(record_.worst_ulps, std::fabs(verdict.ulps));
    ++record_.ulp_histogram[ulp_bin(verdict.ulps)];
  }
  verdict_on(what, row, got, want, verdict, logits);
}

void Tally::judge_gradient(std::string_view what, std::int64_t row, double got, double want,
                           const reference::Judgement& verdict) {
  ++record_.gradients;
  if (got == 0 && want != 0) ++record_.flushed;
  if (std::isfinite(want) && !verdict.class_mismatch)
    record_.worst_gradient_ulps = std::max(record_.worst_gradient_ulps, std::fabs(verdict.ulps));
  verdict_on(what, row, got, want, verdict, 1);
}

void Tally::verdict_on(std::string_view what, std::int64_t row, double got, double want,
                       const reference::Judgement& verdict, std::int64_t logits) {
  const bool finite = std::isfinite(want);
  // No bound is sharper than the type that holds the result.
  counted(!finite || telling(verdict.bound, want) || verdict.bound <= verdict.ulp, logits);
  const double ratio = verdict.class_mismatch || std::isnan(verdict.ratio) ? kInfinity : verdict.ratio;
  worst(row, got, want, verdict.class_mismatch ? kInfinity : verdict.error, finite ? verdict.bound : 0, ratio);
  record_.escalations += verdict.escalations;
  record_.uncertified += verdict.certified ? 0 : 1;
  if (verdict.passed) return;
  if (verdict.class_mismatch) return fail(fmt::format("{}: row {}: got {}, want {}", what, row, got, want));
  fail(fmt::format("{}: row {}: got {:a} ({:.9g}), want {:a} ({:.9g}), error {:.3g} > bound {:.3g} ({:.3g} times)", what, row, got, got,
                   want, want, verdict.error, verdict.bound, ratio));
}

void Tally::sum_at(double ratio) { record_.sum_ratio = std::max(record_.sum_ratio, ratio); }

void Tally::within(std::string_view what, std::int64_t row, double got, double want, double bound, std::int64_t logits) {
  holds(what, got == want || std::fabs(got - want) <= bound, row, got, want, bound, logits);  // equal infinities differ by NaN
}

void Tally::holds(std::string_view what, bool ok, std::int64_t row, double got, double want, double bound, std::int64_t logits) {
  counted(!std::isfinite(want) || telling(bound, want), logits);
  const double error = std::fabs(got - want);
  const bool measurable = bound > 0 && std::isfinite(error);
  const double ratio = measurable ? error / bound : ok ? 0 : kInfinity;
  worst(row, got, want, ok && !std::isfinite(error) ? 0 : error, bound, ratio);
  if (!ok) fail(fmt::format("{}: row {}: got {:a} ({:.9g}), want {:a} ({:.9g}) within {:.3g}", what, row, got, got, want, want, bound));
}

void Tally::at_least(std::string_view what, std::int64_t row, double got, double least, std::int64_t logits) {
  counted(true, logits);
  if (!(got >= least)) {
    worst(row, got, least, std::fabs(got - least), 0, kInfinity);
    fail(fmt::format("{}: row {}: got {:a} ({:.9g}), must be at least {:a} ({:.9g})", what, row, got, got, least, least));
  }
}

void Tally::same_bits(std::string_view what, std::int64_t row, std::uint64_t got, std::uint64_t want, std::int64_t logits) {
  counted(true, logits);
  if (got == want) return;
  if (record_.worst_row < 0) record_.worst_row = row;
  fail(fmt::format("{}: row {}: bits 0x{:08x}, want 0x{:08x}", what, row, got, want));
}

void Tally::fail(std::string reason) {
  if (!failed_) record_.reason = std::move(reason);
  failed_ = true;
}

void Tally::part_skipped(std::string reason) {
  if (skipped_.empty()) skipped_ = std::move(reason);
}

void Tally::finish() {
  if (failed_) {
    record_.outcome = Outcome::failed;
  } else if (record_.compared == 0 && !skipped_.empty()) {
    record_.outcome = Outcome::skipped;
    record_.reason = skipped_;
  } else if (record_.compared == 0) {
    record_.outcome = Outcome::untrusted;
    record_.reason = "nothing was compared";
  } else if (able_to_fail_ == 0) {
    record_.outcome = Outcome::untrusted;
    record_.reason = fmt::format("no comparison could have failed: bound {:.3g} at a result of {:.6g}", record_.bound, record_.want);
  } else {
    record_.outcome = Outcome::passed;
  }
}

}  // namespace plusmax::properties
