// Catches a target whose column is found in the wrong vector, lane, warp or block, or not at all near an edge.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <set>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr std::int64_t kLogits = std::int64_t{1} << 17;
constexpr std::int64_t kMostRows = 24;
constexpr std::int64_t kAround = 16;

// All columns, or both ends and what the seed picks between.
std::vector<std::int64_t> stretch(const Case& of, const Random& random) {
  const std::int64_t most = std::clamp<std::int64_t>(kLogits / of.cols, 6, kMostRows),
                     ends = std::min(of.cols, most) / 3;
  std::set<std::int64_t> columns;
  for (std::int64_t k = 0; k < ends; ++k) columns.insert({k, of.cols - 1 - k});
  for (std::uint64_t k = 0; static_cast<std::int64_t>(columns.size()) < std::min(of.cols, most); ++k)
    columns.insert(static_cast<std::int64_t>(random.bits(k) % static_cast<std::uint64_t>(of.cols)));
  return {columns.begin(), columns.end()};
}

// One row of logits for all targets, no two neighbours alike.
Call call_for(const Case& of, const std::vector<std::int64_t>& columns, const Random& random) {
  Call call = with_all_outputs(relation_call(of));
  const auto rows = static_cast<std::int64_t>(columns.size());
  std::vector<double> row, logits;
  for (std::int64_t j = 0; j < of.cols; ++j)
    row.push_back(
        reference::round_to(of.dtype, (j % 2 ? -1 : 1) * (0.5 + 2 * random.uniform(static_cast<std::uint64_t>(j), 1))));
  for (std::int64_t r = 0; r < rows; ++r) logits.insert(logits.end(), row.begin(), row.end());
  call.rows = std::make_shared<Rows>(of.dtype, rows, of.cols, std::move(logits));
  call.layout = reshaped(of, rows, of.cols);
  call.gradient_stride = call.layout.row_stride;
  call.targets = columns;
  call.options.ignore_index = -100;
  if (call.upstream.size() > 1) call.upstream.resize(1);
  return lifted(with_own_divisors(call));
}

void judge_row(const Launched& at, std::int64_t r, Tally& tally) {
  const auto within = [&](const std::string& what, const Number& n, std::int64_t logits) {
    if (n.promised) tally.within(what, r, n.got, n.want, n.slack, logits);
  };
  within("loss", at.loss(r), at.cols());
  auto columns = columns_of(at.call(), r);
  // The vector that the target stands in, and those beside it.
  const std::int64_t y = at.call().target(r);
  for (std::int64_t j = std::max<std::int64_t>(0, y - kAround); j < std::min(at.cols(), y + kAround); ++j)
    columns.push_back(j);
  for (const std::int64_t j : columns) within("gradient", at.gradient(r, j), 1);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Random random = random_of(of, "every_target");
  const auto at = launched(subject, call_for(of, stretch(of, random), random), tally);
  for (std::int64_t r = 0; at && r < at->rows(); ++r) judge_row(*at, r, tally);
  tally.finish();
}

}  // namespace
extern const Check every_target;
const Check every_target = {"every_target",
                            "wherever the target stands, its row has its loss and each gradient its place",
                            true,
                            relation_refusal,
                            run,
                            true};
}  // namespace plusmax::properties::cross_entropy
