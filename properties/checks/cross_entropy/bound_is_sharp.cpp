// Catches the harness itself: a bound so wide that it hides mistakes. A constant below one maximum, which is the
// target, rounds the same way at every addition, and loss and gradient are made of that sum (docs/numerics.md section
// 5).
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/launched.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr double kLeastShare = 0.05;
constexpr std::int64_t kLogits = std::int64_t{1} << 19;
constexpr std::int64_t kMostColumns = std::int64_t{1} << 17;
constexpr std::int64_t kLeastColumns = 1024;  // fewer additions leave too little to round

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  if (of.dtype != PLUSMAX_F32 || of.fill != "plateau") return "looks at f32 plateau rows only";
  return of.cols < kLeastColumns || of.cols > kMostColumns ? "looks at 1024 to 131072 columns" : "";
}

// Depths at which the plateau adds between 1/4 and 1/80 to the 1 of the target: there the loss is log1p of what it
// adds.
Call plateaus(const Case& of) {
  Call call;
  const std::int64_t depths = std::clamp<std::int64_t>(kLogits / of.cols, 64, 256);
  std::vector<double> logits;
  for (std::int64_t r = 0; r < depths; ++r) {
    const double depth = 1.4 + 3 * static_cast<double>(r) / static_cast<double>(depths);
    const double below = reference::round_to(of.dtype, -(std::log(static_cast<double>(of.cols)) + depth));
    const std::int64_t top = r % 2 ? of.cols / 2 : 0;
    for (std::int64_t j = 0; j < of.cols; ++j) logits.push_back(j == top ? 0 : below);
    call.targets.push_back(top);
  }
  call.rows = std::make_shared<Rows>(of.dtype, depths, of.cols, std::move(logits));
  call.layout = reshaped(of, depths, of.cols);
  call.gradient_stride = call.layout.row_stride;
  return with_all_outputs(call);
}

// error / bound, and the comparison itself.
double share(const char* what, std::int64_t row, const Number& n, std::int64_t logits, Tally& tally) {
  if (!n.promised) return 0;
  tally.within(what, row, n.got, n.want, n.slack, logits);
  return std::fabs(n.got - n.want) / n.slack;
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = plateaus(of);
  Execution execution = execution_of(subject);
  execution.approx_noise = 1;  // what the bound allows the host's functions, they shall use
  auto measured = measure(subject, call, execution, tally);
  double of_loss = 0, of_gradient = 0;
  if (measured) {
    const Launched at(call, std::move(*measured));
    for (std::int64_t r = 0; r < at.rows(); ++r) {
      of_loss = std::max(of_loss, share("loss", r, at.loss(r), of.cols, tally));
      for (const std::int64_t j : columns_of(call, r))
        of_gradient = std::max(of_gradient, share("gradient", r, at.gradient(r, j), of.cols, tally));
    }
  }
  tally.finish();
  record.sum_ratio = std::min(of_loss, of_gradient);
  if (record.outcome == Outcome::passed && !(record.sum_ratio >= kLeastShare)) {
    record.outcome = Outcome::untrusted;
    record.reason = "the harness: of their bounds the loss reaches only " + std::to_string(of_loss) +
                    ", the gradient " + std::to_string(of_gradient) + "; each must be sharp to " +
                    std::to_string(kLeastShare);
  }
}

}  // namespace
extern const Check bound_is_sharp;
const Check bound_is_sharp = {
    "bound_is_sharp",
    "loss and gradient of the worst row come within a twentieth of their bounds: no mistake hides below them", false,
    applies, run};
}  // namespace plusmax::properties::cross_entropy
