#include "properties/ops/linear_cross_entropy/bench_judge.hpp"

#include "properties/tally.hpp"
#include "reference/cross_entropy_verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

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
    if (memory_.dhidden() != nullptr)
      of_rows("dhidden", exact_.dhidden(launch_), exact_.sample().tokens, data_.whole.dtype,
              [&](std::int64_t t) { return memory_.dhidden_row(t); });
    if (memory_.dweight() != nullptr)
      of_rows("dweight", exact_.dweight(launch_), exact_.sample().classes, data_.dweight_type(),
              [&](std::int64_t j) { return memory_.dweight_row(j); });
    if (data_.options.gradients & kDbias) of_bias();
    for (const Result& each : results_) errors.push_back(each.error());
    tally_.finish();
    return record_.outcome == Outcome::passed ? "" : record_.reason;
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

  template <class RowOf>
  void of_rows(const char* name, const SampledGradient& exact, const std::vector<std::int64_t>& rows,
               plusmax_dtype stored, RowOf row_of) {
    Result& result = one(name);
    const auto& features = exact_.sample().features;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const losses::Output row = row_of(rows[r]);
      for (std::size_t k = 0; k < features.size(); ++k)
        element(result, rows[r], row.at(features[k]), stored, exact, r * features.size() + k,
                std::string_view(name) == "dhidden" && data_.ignores(rows[r]));
    }
  }

  void of_bias() {
    const SampledGradient exact = exact_.dbias(launch_);
    const losses::Output got = memory_.dbias();
    Result& result = one("dbias");
    const auto& classes = exact_.sample().classes;
    for (std::size_t c = 0; c < classes.size(); ++c)
      element(result, classes[c], got.at(classes[c]), data_.dweight_type(), exact, c, false);
  }

  static void element(Result& result, std::int64_t row, double got, plusmax_dtype stored, const SampledGradient& exact,
                      std::size_t at, bool is_zero) {
    if (is_zero) return result.zero(row, got);
    result.judge(row, got, stored, exact.want[at], exact.bounds[at]);
  }

  const BenchData& data_;
  const BenchMemory& memory_;
  const BenchExact& exact_;
  BenchExact::Launch launch_;
  Record record_;
  Tally tally_;
  std::vector<Result> results_;
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
