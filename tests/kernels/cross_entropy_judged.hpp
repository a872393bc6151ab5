// The results of a cross_entropy call against the certified reference, by the bounds of the variant's own shape.
#pragma once

#include "reference/cross_entropy_verdict.hpp"
#include "tests/kernels/cross_entropy_call.hpp"

#include <algorithm>
#include <sstream>

namespace plusmax::tests {

class JudgedCrossEntropy {
 public:
  JudgedCrossEntropy(const CrossEntropyCall& call, const CrossEntropyResults& got, const CrossEntropyShape& shape)
      : call_(call), got_(got), shape_(shape), result_type_(reference::result_dtype(call.dtype)) {
    const auto reduction = static_cast<reference::Reduction>(call.options.reduction);
    const std::span<const float> weights = call.weighted ? std::span(call.weights) : std::span<const float>();
    divisors_ = call.normalizer && reduction == reference::Reduction::mean
                    ? reference::divisors_of(reduction, call.divisors[0], call.divisors[1])
                    : reference::divisors_of(reduction, call.targets, call.options.ignore_index, weights, call.cols);
    std::vector<reference::ReducedRow> rows;
    for (std::size_t row = 0; row < call.rows; ++row) rows.push_back(judge_row(row, weights));
    if (call.options.reduction != PLUSMAX_NONE)
      judge("loss",
            reference::judge_reduced_loss(
                got.loss, result_type_,
                reference::reduce(reduction, rows, divisors_, false, reference::EmptyMean::zero, shape)),
            got.loss);
    expect("num_valid", got.num_valid == std::int64_t(call.rows), double(got.num_valid));
    expect("bad_targets", got.bad_targets == 0, double(got.bad_targets));
  }

  // The first thing that is wrong, in words; empty if nothing is.
  const std::string& mistake() const { return mistake_; }
  double worst() const { return worst_; }  // error / bound

 private:
  reference::ReducedRow judge_row(std::size_t row, std::span<const float> weights) {
    using enum reference::CrossEntropyResult;
    std::vector<double> logits = call_.logits[row];
    for (double& x : logits) x = reference::round_to(call_.dtype, x);
    reference::CrossEntropyInput in;
    in.logits = logits, in.weights = weights;
    in.target = call_.targets[row], in.ignore_index = call_.options.ignore_index;
    in.options = {option(call_.options.label_smoothing), option(call_.options.z_loss), option(call_.options.softcap),
                  option(call_.options.logit_scale)};
    if (call_.upstream != Upstream::none) in.upstream = call_.upstreams[call_.upstream == Upstream::one ? 0 : row];
    in.divisors = divisors_;
    const reference::CrossEntropyRow exact = reference::cross_entropy(in);
    const reference::CrossEntropyBound bound = reference::cross_entropy_bound(in, exact, shape_);
    const auto result = [&](const std::string& name, double got, plusmax_dtype stored,
                            reference::CrossEntropyQuestion question) {
      judge(name + " of row " + std::to_string(row),
            reference::judge_cross_entropy(
                got, stored, reference::cross_entropy_result(in, exact, question),
                reference::cross_entropy_result_bound(in, exact, shape_, bound, question, call_.dtype), in, question),
            got);
    };
    result("loss", got_.loss_rows[row], result_type_, {loss});
    result("z_loss", got_.z_loss[row], result_type_, {z_loss});
    result("lse", got_.lse[row], result_type_, {lse});
    for (std::size_t col = 0; col < call_.cols && !got_.dlogits.empty(); ++col)
      result("dlogits " + std::to_string(col), got_.dlogits[row * call_.cols + col], call_.dtype, {gradient, col});
    if (call_.argmax)
      expect("argmax of row " + std::to_string(row),
             got_.argmax[row] == std::max_element(logits.begin(), logits.end()) - logits.begin(),
             double(got_.argmax[row]));
    return {exact.cross_entropy, exact.z_loss, bound.cross_entropy, bound.z_loss};
  }

  // As the kernel has it: rounded once to the type that accumulates.
  double option(double value) const { return reference::round_to(result_type_, value); }

  void judge(const std::string& what, const reference::Judgement& judgement, double got) {
    if (judgement.passed) worst_ = std::max(worst_, judgement.ratio);
    expect(what + ", error/bound " + std::to_string(judgement.ratio), judgement.passed && judgement.judged, got);
  }
  void expect(const std::string& what, bool holds, double got) {
    if (holds || !mistake_.empty()) return;
    std::ostringstream words;
    words << what << ": " << got;
    mistake_ = words.str();
  }

  const CrossEntropyCall& call_;
  const CrossEntropyResults& got_;
  const CrossEntropyShape& shape_;
  plusmax_dtype result_type_;
  reference::Divisors divisors_;
  std::string mistake_;
  double worst_ = 0;
};

}  // namespace plusmax::tests
