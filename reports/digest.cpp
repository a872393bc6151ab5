#include "reports/digest.hpp"

#include "reports/group.hpp"

#include <algorithm>
#include <utility>

namespace plusmax::reports {
namespace {

using properties::Outcome;
using properties::Record;

constexpr std::size_t kWorst = 3;  // as many as the report shows of a variant and storage type

void raise(double& worst, double value) {
  if (!(value <= worst)) worst = value;
}

void add(Record& sum, const Record& r) {
  const std::uint64_t checks = sum.checks + r.checks, compared = sum.compared + r.compared,
                      logits = sum.logits + r.logits;
  const std::uint64_t escalations = sum.escalations + r.escalations;
  const double seconds = sum.seconds + r.seconds;
  const std::uint64_t gradients = sum.gradients + r.gradients, flushed = sum.flushed + r.flushed;
  double probabilistic = sum.worst_probabilistic, of_sum = sum.sum_ratio, ulps = sum.worst_ulps,
         gradient_ulps = sum.worst_gradient_ulps;
  raise(probabilistic, r.worst_probabilistic), raise(of_sum, r.sum_ratio), raise(ulps, r.worst_ulps);
  raise(gradient_ulps, r.worst_gradient_ulps);
  auto histogram = std::move(sum.ulp_histogram);
  for (const auto& [bin, count] : r.ulp_histogram) histogram[bin] += count;
  if (!(r.worst_ratio <= sum.worst_ratio)) sum = r;
  sum.checks = checks, sum.compared = compared, sum.logits = logits, sum.escalations = escalations,
  sum.seconds = seconds;
  sum.gradients = gradients, sum.flushed = flushed, sum.worst_gradient_ulps = gradient_ulps;
  sum.worst_probabilistic = probabilistic, sum.sum_ratio = of_sum, sum.worst_ulps = ulps;
  sum.ulp_histogram = std::move(histogram);
}

}  // namespace

bool Digest::keeps(const Record& record) {
  if (record.outcome != Outcome::passed || record.uncertified > 0) return true;
  bool stands_out = false;
  if (measured(record) && record.cols > 0) {
    const auto [place, fresh] =
        worst_by_length_.try_emplace({record.op, record.variant, record.dtype, length_place(record.cols)}, record.worst_ratio);
    if (fresh || !(record.worst_ratio <= place->second)) place->second = record.worst_ratio, stands_out = true;
    std::vector<double>& worst = worst_[{record.op, record.variant, record.dtype}];
    if (worst.size() < kWorst || !(record.worst_ratio <= worst.front())) {
      worst.insert(std::upper_bound(worst.begin(), worst.end(), record.worst_ratio), record.worst_ratio);
      if (worst.size() > kWorst) worst.erase(worst.begin());
      stands_out = true;
    }
  }
  if (stands_out) return true;
  summed_ += record.checks;
  const auto [sum, fresh] = sums_.try_emplace({record.op, record.variant, record.dtype, record.check}, record);
  if (!fresh) add(sum->second, record);
  return false;
}

std::vector<Record> Digest::take() {
  std::vector<Record> records;
  for (auto& [kind, sum] : sums_) records.push_back(std::move(sum));
  sums_.clear();
  summed_ = 0;
  return records;
}

}  // namespace plusmax::reports
