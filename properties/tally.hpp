// Gathers what a check compared into its Record: the worst ratio, the first reason to fail, and whether a pass means anything.
#pragma once

#include "properties/record.hpp"
#include "reference/verdict.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace plusmax::properties {

class Tally {
 public:
  explicit Tally(Record& record) : record_(record) {}

  // A result judged against its certified value. `what` names the part of the check ("reversed columns").
  void judge(std::string_view what, std::int64_t row, double got, double want, const reference::Judgement&, std::int64_t logits);
  // The same for an element of a gradient. Its ulps stay out of the histogram of results.
  void judge_gradient(std::string_view what, std::int64_t row, double got, double want, const reference::Judgement&);
  void sum_at(double ratio);  // of the sum inside a result: its error over the bound on it

  // |difference| <= bound, for relations between results; `loose` bounds do not count as a comparison that can fail.
  void within(std::string_view what, std::int64_t row, double got, double want, double bound, std::int64_t logits);
  // A comparison that somebody else made; `got`, `want` and `bound` are what it was about.
  void holds(std::string_view what, bool ok, std::int64_t row, double got, double want, double bound, std::int64_t logits);
  // !(got >= least) fails.
  void at_least(std::string_view what, std::int64_t row, double got, double least, std::int64_t logits);
  void same_bits(std::string_view what, std::int64_t row, std::uint64_t got, std::uint64_t want, std::int64_t logits);

  void fail(std::string reason);          // the first one stays
  void part_skipped(std::string reason);  // something that this variant does not take
  bool failed() const { return failed_; }
  // passed, failed, skipped (nothing ran, with the reason) or untrusted (could not have failed).
  void finish();

 private:
  void verdict_on(std::string_view what, std::int64_t row, double got, double want, const reference::Judgement&,
                  std::int64_t logits);
  void counted(bool could_fail, std::int64_t logits);
  void worst(std::int64_t row, double got, double want, double error, double bound, double ratio);

  Record& record_;
  bool failed_ = false;
  bool seen_worst_ = false;
  std::uint64_t able_to_fail_ = 0;
  std::string skipped_;
};

// Whether a result of about `magnitude` can be told from a wrong one: bound <= 1e-3 max(1, |magnitude|).
bool telling(double bound, double magnitude);

// Bin of a signed error for Record::ulp_histogram.
int ulp_bin(double ulps);

}  // namespace plusmax::properties
