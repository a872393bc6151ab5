// Each number of a call against its certified value.
#include "properties/ops/cross_entropy/measure.hpp"
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::Certified;
using reference::CrossEntropyResult;
using reference::Judgement;

// Gradient elements of one launch that are judged: 0.3 us each.
constexpr std::int64_t kJudgedElements = std::int64_t{1} << 21;

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
    const auto& exact = exact_.row(r, with_gradient ? reference::Outputs::loss_and_gradient : reference::Outputs::loss);
    const reference::CrossEntropyInput in = exact_.input(r, scratch_);
    const reference::CrossEntropyBound bound = reference::cross_entropy_bound(in, exact, shape_);
    const auto one = [&](const char* name, const Output& output, CrossEntropyResult result) {
      if (output.values.empty()) return;
      const reference::CrossEntropyQuestion question{result, 0};
      const Certified value = reference::cross_entropy_result(in, exact, question);
      const auto of = reference::cross_entropy_result_bound(in, exact, shape_, bound, question, stored_);
      judged(name, r, output.at(r), value, reference::judge_cross_entropy(output.at(r), stored_, value, of, in, question),
             call_.rows->cols());
    };
    one("loss", results_.loss, CrossEntropyResult::loss);
    one("z_loss", results_.z_loss, CrossEntropyResult::z_loss);
    one("lse", results_.lse, CrossEntropyResult::lse);
    if (!results_.argmax.empty()) whole("argmax", r, results_.argmax[static_cast<std::size_t>(r)], exact.argmax);
    if (!results_.state.values.empty()) state(r, exact, bound);
    if (with_gradient) gradient(r, in, exact, bound);
    return {exact.cross_entropy, exact.z_loss, bound.cross_entropy, bound.z_loss};
  }

  // Whether the gradient of a row is judged: equal bytes of an equal row need it once.
  bool wanted(std::int64_t r) {
    const auto bytes = results_.gradient_row(r, call_.rows->cols());
    const auto [seen, fresh] = passed_.try_emplace(exact_.identity(r), r);
    if (fresh) return sampled_.contains(r) || passed_.size() <= kFewRows;
    const auto first = results_.gradient_row(seen->second, call_.rows->cols());
    return !std::equal(bytes.begin(), bytes.end(), first.begin()) && sampled_.contains(r);
  }

  void gradient(std::int64_t r, const reference::CrossEntropyInput& in, const reference::CrossEntropyRow& exact,
                const reference::CrossEntropyBound& bound) {
    results_.gradient_row(r, call_.rows->cols(), elements_);
    const bool zero = exact.gradient_is_zero && exact.gradient_class == reference::ValueClass::finite;
    for (std::size_t j = 0; j < elements_.size(); ++j) {
      const reference::CrossEntropyQuestion question{CrossEntropyResult::gradient, j};
      const double got = elements_[j];
      const Certified value = reference::cross_entropy_result(in, exact, question);
      const Judgement verdict =
          zero ? reference::judge_zero(got)
               : reference::judge_cross_entropy(
                     got, results_.dtype, value,
                     reference::cross_entropy_result_bound(in, exact, shape_, bound, question, results_.dtype), in, question);
      if (!verdict.judged) {
        unjudged();
      } else if (verdict.passed) {
        tally_.judge_gradient("gradient", r, got, value_of(value), verdict);
      } else {
        tally_.judge_gradient(named(fmt::format("gradient of column {}", j)), r, got, value_of(value), verdict);
      }
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
    if (!verdict.judged) return unjudged();
    tally_.judge(verdict.passed ? name : named(name), r, got, value_of(value), verdict, logits);
  }
  void unjudged() { tally_.part_skipped("nothing is promised: an intermediate overflows, the result does not"); }
  void whole(std::string_view name, std::int64_t r, std::int64_t got, std::int64_t want) {
    tally_.holds(named(name), got == want, r, static_cast<double>(got), static_cast<double>(want), 0, call_.rows->cols());
  }
  std::string named(std::string_view name) const { return fmt::format("{}: {}", what_, name); }

  static constexpr std::size_t kFewRows = 4;
  std::string_view what_;
  const Exact& exact_;
  const Call& call_;
  const Results& results_;
  const CrossEntropyShape& shape_;
  Tally& tally_;
  plusmax_dtype stored_;
  std::set<std::int64_t> sampled_;
  std::map<Exact::Identity, std::int64_t> passed_;  // the first row of each
  std::vector<double> scratch_, elements_;
};

}  // namespace

double value_of(const Certified& exact) {
  using reference::ValueClass;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (exact.value_class) {
    case ValueClass::finite: return exact.value.hi;
    case ValueClass::positive_infinity: return kInfinity;
    case ValueClass::negative_infinity: return -kInfinity;
    case ValueClass::nan: break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void judge_all(std::string_view what, const Exact& exact, const Measured& measured, Tally& tally) {
  Judge(what, exact, measured, tally).all();
}

}  // namespace plusmax::properties::cross_entropy
