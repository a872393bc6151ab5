#include "properties/ops/linear_cross_entropy/bench_judge.hpp"

#include "properties/tally.hpp"
#include "reference/cross_entropy_verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// One result: everything goes to the tally, and what it is off by is added up.
class Result {
 public:
  Result(const char* name, std::int64_t logits, Tally& tally) : name_(name), logits_(logits), tally_(tally) {}

  void judge(std::int64_t row, double got, plusmax_dtype stored, const reference::Certified& want,
             const reference::ResultBound& bound) {
    const reference::Judgement verdict = reference::judge_certified(got, stored, want, bound);
    if (!verdict.judged) return tally_.part_skipped("nothing is promised: an intermediate overflows");
    const double exact = losses::value_of(want);
    tally_.judge(name_, row, got, exact, verdict, logits_);
    add(got, exact, verdict);
  }
  void zero(std::int64_t row, double got) {
    const reference::Judgement verdict = reference::judge_zero(got);
    tally_.judge(name_, row, got, 0, verdict, logits_);
    add(got, 0, verdict);
  }

  BenchError error() const {
    const auto relative = [&](double squares) { return size_ > 0 ? std::sqrt(squares / size_) : 0; };
    return {name_, judged_, worst_, relative(error_), relative(bound_)};
  }

 private:
  void add(double got, double want, const reference::Judgement& verdict) {
    ++judged_;
    worst_ = std::max(worst_, verdict.ratio);
    error_ += (got - want) * (got - want), bound_ += verdict.bound * verdict.bound, size_ += want * want;
  }

  const char* name_;
  std::int64_t logits_;
  Tally& tally_;
  std::uint64_t judged_ = 0;
  double worst_ = 0, error_ = 0, bound_ = 0, size_ = 0;
};

class Judge {
 public:
  Judge(const BenchData& data, const BenchMemory& memory, const BenchExact& exact, const Planning& planning)
      : data_(data), memory_(memory), exact_(exact), launch_(exact.launch(planning)), tally_(record_) {}

  std::string wrong(std::vector<BenchError>& errors) {
    of_tokens(
        "loss", memory_.loss(), [](const auto& t) { return t.row.loss; }, [](const auto& b) { return b.loss; });
    of_tokens(
        "lse", memory_.lse(), [](const auto& t) { return t.row.lse; }, [](const auto& b) { return b.lse; });
    of_tokens(
        "z_loss", memory_.z_loss(), [](const auto& t) { return t.row.z_loss; }, [](const auto& b) { return b.z_loss; });
    if (const losses::Output reduced = memory_.reduced(); !reduced.values.empty()) {
      const reference::ReducedLoss loss = exact_.reduced(launch_);
      one("reduced loss").judge(0, reduced.at(0), PLUSMAX_F32, loss.loss, loss.bound);
    }
    if (memory_.dhidden() != nullptr) of_dhidden();
    if (memory_.dweight() != nullptr) {
      const SampledGradient exact = exact_.dweight(launch_);
      of_classes("dweight", "dweight of targets", exact, exact_.sample().features,
                 [&](std::int64_t j) { return memory_.dweight_row(j); });
    }
    if (data_.options.gradients & kDbias) {
      const losses::Output all = memory_.dbias();
      const auto one_of = [&](std::int64_t j) { return losses::Output{{all.at(j)}, {}}; };
      of_classes("dbias", "dbias of targets", exact_.dbias(launch_), {0}, one_of);
    }
    for (const Result& each : results_)
      if (const BenchError error = each.error(); error.judged > 0) errors.push_back(error);
    tally_.finish();
    if (record_.outcome == Outcome::failed || record_.compared == 0) return record_.reason;
    for (const BenchError& error : errors)
      if (error.rms_bound >= 1)
        return fmt::format("{}: bounds {:.3g} times the results: nothing could have been wrong", error.result, error.rms_bound);
    return "";
  }

 private:
  Result& one(const char* name) { return results_.emplace_back(name, data_.vocab(), tally_); }

  template <class Want, class Bound>
  void of_tokens(const char* name, const losses::Output& got, Want want, Bound bound) {
    if (got.values.empty()) return;
    Result& result = one(name);
    for (std::int64_t t = 0; t < data_.tokens(); ++t) {
      const std::int64_t distinct = data_.as_distinct(t);
      const reference::LinearToken* token = exact_.token(distinct);
      if (token == nullptr)
        result.zero(t, got.at(t));
      else
        result.judge(t, got.at(t), PLUSMAX_F32, want(*token), bound(exact_.bound(launch_, distinct)));
    }
  }

  void of_dhidden() {
    const SampledGradient exact = exact_.dhidden(launch_);
    const GradientSample& sample = exact_.sample();
    Result& result = one("dhidden");
    std::size_t at = 0;
    for (const std::int64_t t : sample.tokens) {
      const losses::Output row = memory_.dhidden_row(t);
      for (const std::int64_t k : sample.features) {
        if (data_.ignores(t))
          result.zero(t, row.at(k));
        else
          result.judge(t, row.at(k), data_.whole.dtype, exact.want[at], exact.bounds[at]);
        ++at;
      }
    }
  }

  // Rows of targets are larger by orders of magnitude: together their size would hide the errors of the others.
  template <class RowOf>
  void of_classes(const char* name, const char* of_targets, const SampledGradient& exact,
                  const std::vector<std::int64_t>& columns, RowOf row_of) {
    Result &others = one(name), &targets = one(of_targets);
    std::size_t at = 0;
    for (const std::int64_t j : exact_.sample().classes) {
      const losses::Output row = row_of(j);
      for (const std::int64_t k : columns) {
        (data_.is_target(j) ? targets : others)
            .judge(j, row.at(k), data_.dweight_type(), exact.want[at], exact.bounds[at]);
        ++at;
      }
    }
  }

  const BenchData& data_;
  const BenchMemory& memory_;
  const BenchExact& exact_;
  BenchExact::Launch launch_;
  Record record_;
  Tally tally_;
  std::deque<Result> results_;  // their addresses stay
};

}  // namespace

std::string BenchJudge::wrong(const Planning& planning) {
  if (!exact_) exact_.emplace(data_, sample_of(data_));
  errors_.clear();
  return Judge(data_, memory_, *exact_, planning).wrong(errors_);
}

std::string BenchJudge::sample() const {
  if (!exact_) return "";
  const GradientSample& s = exact_->sample();
  return fmt::format("of all tokens; of dhidden rows {}, of dweight and dbias rows {}, columns {}; seed {}",
                     fmt::join(s.tokens, ","), fmt::join(s.classes, ","), fmt::join(s.features, ","), data_.whole.seed);
}

}  // namespace plusmax::properties::linear_cross_entropy
