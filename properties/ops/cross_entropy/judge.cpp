// Each number of a call against its certified value.
#include "properties/ops/cross_entropy/measure.hpp"
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::Certified;
using reference::CrossEntropyResult;
using reference::Judgement;

// Gradient elements of one launch that are judged: 0.3 us each.
constexpr std::int64_t kJudgedElements = std::int64_t{1} << 21;

constexpr const char* kUnjudged = "nothing is promised: an intermediate overflows, the result does not";

class Judge {
 public:
  Judge(std::string_view what, const Exact& exact, const Measured& measured, Tally& tally)
      : what_(what), exact_(exact), call_(exact.call()), results_(measured.results), shape_(measured.shape), tally_(tally),
        stored_(reference::result_dtype(call_.rows->dtype())) {
    const std::int64_t most = std::max<std::int64_t>(2, kJudgedElements / std::max<std::int64_t>(call_.rows->cols(), 1));
    const auto sample = sample_rows(call_.rows->rows(), most);
    sampled_.insert(sample.begin(), sample.end());
  }

  void all() {
    std::vector<reference::ReducedRow> rows;
    for (std::int64_t r = 0; r < call_.rows->rows(); ++r) rows.push_back(row(r));
    if (!results_.reduced.values.empty()) reduced(rows);
    counts();
  }

 private:
  reference::ReducedRow row(std::int64_t r) {
    const bool with_gradient = !results_.gradient.empty() && wanted(r);
    const RowView view(exact_, r, shape_,
                       with_gradient ? reference::Outputs::loss_and_gradient : reference::Outputs::loss);
    const auto one = [&](const char* name, const Output& output, CrossEntropyResult result) {
      if (output.values.empty()) return;
      judged(name, r, output.at(r), view.want({result}), view.judge(output.at(r), stored_, {result}),
             call_.rows->cols());
    };
    one("loss", results_.loss, CrossEntropyResult::loss);
    one("z_loss", results_.z_loss, CrossEntropyResult::z_loss);
    one("lse", results_.lse, CrossEntropyResult::lse);
    if (!results_.argmax.empty()) whole("argmax", r, results_.argmax[static_cast<std::size_t>(r)], view.exact().argmax);
    if (!results_.state.values.empty()) state(r, view.exact(), view.bound());
    if (with_gradient) gradient(r, view);
    return view.reduced();
  }

  // Whether the gradient of a row is judged. Equal rows that begin at the same place modulo 128 bytes have equal bits, so
  // equal bytes of them need it once, and others must show what they are. Of different rows, a sample and those that
  // come first.
  bool wanted(std::int64_t r) {
    const std::int64_t cols = call_.rows->cols(), unit = per_bytes(call_.rows->dtype(), 128);
    const std::int64_t start = (call_.layout.phase + r % unit * (call_.layout.row_stride % unit)) % unit;
    const auto [seen, fresh] = images_.try_emplace({exact_.identity(r), start}, r);
    if (!fresh) {
      const auto bytes = results_.gradient_row(r, cols), first = results_.gradient_row(seen->second, cols);
      return !std::equal(bytes.begin(), bytes.end(), first.begin());
    }
    const bool judged = sampled_.contains(r) || elements_judged_ < kJudgedElements;
    if (judged) elements_judged_ += cols;
    return judged;
  }

  void gradient(std::int64_t r, const RowView& view) {
    results_.gradient_row(r, call_.rows->cols(), elements_);
    for (std::size_t j = 0; j < elements_.size(); ++j) {
      const reference::CrossEntropyQuestion question{CrossEntropyResult::gradient, j};
      judge_element(what_, view, r, question, elements_[j], results_.dtype, tally_);
    }
  }

  // Where nothing is rounded before the exponential, the saved sum is S_x within its own bound.
  void state(std::int64_t r, const reference::CrossEntropyRow& exact, const reference::CrossEntropyBound& bound) {
    const Options& o = call_.options;
    if (exact.target == reference::TargetClass::ignored) {
      tally_.within(named("saved maximum"), r, results_.state.at(2 * r), 0, 0, call_.rows->cols());
      tally_.within(named("saved sum"), r, results_.state.at(2 * r + 1), 0, 0, call_.rows->cols());
      return;
    }
    if (exact.target != reference::TargetClass::counted || exact.lse.value_class != reference::ValueClass::finite ||
        o.softcap > 0 || o.scale != 1)
      return tally_.part_skipped("saved sums of this row are judged by the gradient made from them");
    const double maximum = results_.state.at(2 * r), others = results_.state.at(2 * r + 1);
    tally_.within(named("saved maximum"), r, maximum, exact.sizes.max.hi, 0, call_.rows->cols());
    const double want = exact.sizes.sum_without_target.hi;
    tally_.within(named("saved sum"), r, others, want, bound.without_target + exact.sizes.sum_without_target_error,
                  call_.rows->cols());
  }

  void reduced(const std::vector<reference::ReducedRow>& rows) {
    const reference::ReducedLoss exact = reduced_of(exact_, rows, shape_);
    judged("reduced loss", 0, results_.reduced.at(0), exact.loss,
           reference::judge_reduced_loss(results_.reduced.at(0), stored_, exact),
           call_.rows->rows() * call_.rows->cols());
  }

  void counts() {
    std::int64_t valid = 0, bad = 0;
    for (std::int64_t r = 0; r < call_.rows->rows(); ++r) valid += !call_.ignores(r), bad += call_.is_bad(r);
    if (results_.num_valid) whole("num_valid", 0, *results_.num_valid, valid);
    if (results_.bad_targets) whole("bad_targets", 0, *results_.bad_targets, bad);
  }

  void judged(std::string_view name, std::int64_t r, double got, const Certified& value, const Judgement& verdict,
              std::int64_t logits) {
    if (!verdict.judged) return tally_.part_skipped(kUnjudged);
    tally_.judge(verdict.passed ? name : named(name), r, got, value_of(value), verdict, logits);
  }
  void whole(std::string_view name, std::int64_t r, std::int64_t got, std::int64_t want) {
    tally_.holds(named(name), got == want, r, static_cast<double>(got), static_cast<double>(want), 0, call_.rows->cols());
  }
  std::string named(std::string_view name) const { return fmt::format("{}: {}", what_, name); }

  std::string_view what_;
  const Exact& exact_;
  const Call& call_;
  const Results& results_;
  const CrossEntropyShape& shape_;
  Tally& tally_;
  plusmax_dtype stored_;
  std::set<std::int64_t> sampled_;
  std::map<std::pair<Exact::Identity, std::int64_t>, std::int64_t> images_;  // of a row and its start: the first
  std::int64_t elements_judged_ = 0;
  std::vector<double> elements_;
};

}  // namespace

void judge_element(std::string_view what, const RowView& view, std::int64_t row,
                   reference::CrossEntropyQuestion question, double got, plusmax_dtype stored, Tally& tally) {
  const Judgement verdict = view.judge(got, stored, question);
  if (!verdict.judged) return tally.part_skipped(kUnjudged);
  const std::string name =
      verdict.passed ? std::string() : fmt::format("{}: gradient of column {}", what, question.column);
  tally.judge_gradient(name, row, got, value_of(view.want(question)), verdict);
}

void judge_all(std::string_view what, const Exact& exact, const Measured& measured, Tally& tally) {
  Judge(what, exact, measured, tally).all();
}

}  // namespace plusmax::properties::cross_entropy
