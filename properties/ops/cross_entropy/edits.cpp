#include "properties/ops/cross_entropy/edits.hpp"

#include "properties/ops/cross_entropy/exact.hpp"
#include "properties/relation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace plusmax::properties::cross_entropy {
namespace {
constexpr std::int64_t kNoClass = -100;
}

Call with_own_divisors(Call call) {
  if (call.options.reduction == Reduction::mean && !call.options.normalizer) call.options.normalizer = {3.5, 3};
  return call;
}

Call leveled(Call call) {
  const std::int64_t unit = per_bytes(call.rows->dtype(), 128);
  call.layout.row_stride = (call.layout.row_stride + unit - 1) / unit * unit;
  call.gradient_stride = call.layout.row_stride;
  return call;
}

Call with_upstream(Call call, double factor) {
  if (call.upstream.empty()) call.upstream.push_back(1);
  for (float& u : call.upstream) u = static_cast<float>(static_cast<double>(u) * factor);
  return call;
}

Call lifted(const Call& call) {
  const Exact exact(call);
  Call all = call;
  all.upstream.clear();
  for (std::int64_t r = 0; r < call.rows->rows(); ++r) {
    double largest = 0;
    for (const double g : exact.row(r, reference::Outputs::loss_and_gradient).gradient_hi)
      if (std::isfinite(g)) largest = std::max(largest, std::fabs(g));
    // A row that is much smaller consists of what its exponentials lose; one that is much larger would have factors that
    // are next to nothing.
    constexpr int kMost = 40;
    const int up = largest > 0 ? -3 - std::ilogb(largest) : 0;
    all.upstream.push_back(
        static_cast<float>(std::ldexp(static_cast<double>(call.upstream_at(r)), std::abs(up) <= kMost ? up : 0)));
  }
  return all;
}

Call rearranged(const Call& call, std::span<const std::int64_t> order) {
  Call moved = with_rows(call, edited(*call.rows, call.rows->cols(), [&](std::int64_t, auto in, auto out) {
                           for (std::size_t k = 0; k < out.size(); ++k) out[k] = in[static_cast<std::size_t>(order[k])];
                         }));
  std::vector<std::int64_t> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    place[static_cast<std::size_t>(order[k])] = static_cast<std::int64_t>(k);
  for (std::size_t k = 0; k < call.weights.size(); ++k)
    moved.weights[k] = call.weights[static_cast<std::size_t>(order[k])];
  moved.options.ignore_index = kNoClass;  // a class would be another column now
  for (std::int64_t r = 0; r < call.rows->rows(); ++r) {
    std::int64_t& target = moved.targets[static_cast<std::size_t>(r)];
    target = call.ignores(r) ? kNoClass : call.is_bad(r) ? -1 : place[static_cast<std::size_t>(target)];
  }
  return moved;
}

bool holds_target(const Call& call, std::int64_t target) {
  using Narrow = std::numeric_limits<std::int32_t>;
  return !call.options.int32_targets || (target >= Narrow::min() && target <= Narrow::max());
}

}  // namespace plusmax::properties::cross_entropy
