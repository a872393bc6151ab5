#include "properties/ops/cross_entropy/exact.hpp"

#include "properties/latest.hpp"
#include "properties/losses/reduction.hpp"

#include <utility>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr std::size_t kKeptColumns = std::size_t{1} << 21;  // 40 bytes each
constexpr std::size_t kKeptRows = std::size_t{1} << 16;

}  // namespace

reference::Divisors divisors_of(const Call& call, std::span<const std::int64_t> targets) {
  const Options& o = call.options;
  const reference::Reduction reduction = reduction_of(o.reduction);
  if (o.normalizer) return reference::divisors_of(reduction, o.normalizer->first, o.normalizer->second);
  return reference::divisors_of(reduction, targets, o.ignore_index, call.weights,
                                static_cast<std::size_t>(call.rows->cols()));
}

Exact::Exact(Call call) : call_(std::move(call)), divisors_(divisors_of(call_, call_.targets)) {}
Exact::Exact(Call call, const reference::Divisors& divisors) : call_(std::move(call)), divisors_(divisors) {}

Exact::Identity Exact::identity(std::int64_t row) const {
  if (call_.ignores(row)) return {0, call_.target(row), 1};  // whatever else it holds
  return {call_.rows->identity(row), call_.target(row), call_.upstream_at(row)};
}

reference::CrossEntropyInput Exact::input(std::int64_t row, std::vector<double>& scratch) const {
  const Options& o = call_.options;
  const Factors factors = factors_of(call_);
  reference::CrossEntropyInput in;
  in.logits = call_.rows->row(row, scratch);
  in.weights = call_.weights;
  in.target = call_.target(row);
  in.ignore_index = o.ignore_index;
  in.options = {factors.smoothing, factors.z_loss, o.softcap, o.scale};
  in.upstream = static_cast<double>(call_.upstream_at(row));
  in.divisors = divisors_;
  return in;
}

const reference::CrossEntropyRow& Exact::row(std::int64_t row, reference::Outputs outputs) const {
  const std::pair key{identity(row), outputs == reference::Outputs::loss_and_gradient};
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  if (kept_ > kKeptColumns || known_.size() > kKeptRows) known_.clear(), kept_ = 0;
  std::vector<double> scratch;
  if (key.second) kept_ += static_cast<std::size_t>(call_.rows->cols());
  return known_.emplace(key, reference::cross_entropy(input(row, scratch), outputs)).first->second;
}

reference::ReducedLoss reduced_of(const Exact& exact, std::span<const reference::ReducedRow> rows,
                                  const CrossEntropyShape& shape) {
  const Call& call = exact.call();
  bool any_bad = false;
  for (std::int64_t r = 0; r < call.rows->rows(); ++r) any_bad = any_bad || call.is_bad(r);
  const auto empty = call.options.nan_if_empty ? reference::EmptyMean::nan : reference::EmptyMean::zero;
  return reference::reduce(reduction_of(call.options.reduction), rows, exact.divisors(), any_bad, empty, shape);
}

std::shared_ptr<const Exact> exact_of(const Case& of) {
  static Latest<Exact> latest;
  return latest.of(to_line(of), [&] { return std::make_shared<const Exact>(call_of(of)); });
}

}  // namespace plusmax::properties::cross_entropy
