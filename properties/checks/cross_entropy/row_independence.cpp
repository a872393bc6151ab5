// Catches rows that leak into each other: shared scratch, neighbours read as a tail, splits that depend on the grid, a
// divisor or an upstream gradient of another row.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/measure.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr std::int64_t kAddedLogits = std::int64_t{1} << 11;

// All rows but one hold something else and want something else.
Call strangers(const Call& call, std::int64_t keep, double filler, std::int64_t target) {
  Call other = with_rows(call, edited(*call.rows, call.rows->cols(), [&](std::int64_t r, auto in, auto out) {
                           if (r == keep) {
                             std::copy(in.begin(), in.end(), out.begin());
                           } else {
                             std::fill(out.begin(), out.end(), filler);
                           }
                         }));
  for (std::int64_t r = 0; r < call.rows->rows(); ++r) {
    if (r == keep) continue;
    other.targets[static_cast<std::size_t>(r)] = target;
    if (call.upstream.size() > 1) other.upstream[static_cast<std::size_t>(r)] = std::numeric_limits<float>::quiet_NaN();
  }
  return other;
}

void other_neighbours(const Subject& subject, const Call& call, const Results& want, Tally& tally) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kFillers[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 29952};
  const std::int64_t targets[] = {0, call.rows->cols(), call.options.ignore_index};
  const int times = call.rows->rows() > 2 ? 1 : 2;
  std::size_t turn = 0;
  for (std::int64_t keep = 0; keep < call.rows->rows(); ++keep)
    for (int k = 0; k < times; ++k, ++turn) {
      const std::int64_t target = targets[turn % std::size(targets)];
      const Call other =
          strangers(call, keep, kFillers[turn % std::size(kFillers)], holds_target(call, target) ? target : 0);
      const auto measured = measure(subject, other, execution_of(subject), tally);
      if (measured) same_row("other rows changed", measured->results, keep, want, keep, call.rows->cols(), tally);
    }
}

// Other numbers of rows, and each row under other numbers, the last of them first.
void other_counts(const Subject& subject, const Call& call, const Results& want, Tally& tally) {
  const std::int64_t rows = call.rows->rows(), most = std::clamp<std::int64_t>(kAddedLogits / call.rows->cols(), 1, 40);
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto measured = measure(subject, select(call, std::span(&r, 1), call.layout), execution_of(subject), tally);
    if (measured) same_row("alone", measured->results, 0, want, r, call.rows->cols(), tally);
  }
  for (const std::int64_t count : {rows + 1, rows + most}) {
    std::vector<std::int64_t> which;
    for (std::int64_t k = 0; k < count; ++k) which.push_back((rows * count - 1 - k) % rows);
    const auto measured = measure(subject, select(call, which, call.layout), execution_of(subject), tally);
    for (std::int64_t k = 0; measured && k < count; ++k)
      same_row("among " + std::to_string(count) + " rows", measured->results, k, want,
               which[static_cast<std::size_t>(k)], call.rows->cols(), tally);
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = with_own_divisors(leveled(relation_call(of)));
  const auto given = measure(subject, call, execution_of(subject), tally);
  if (given) {
    other_neighbours(subject, call, given->results, tally);
    other_counts(subject, call, given->results, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check row_independence;
const Check row_independence = {
    "row_independence",
    "no bit of a row's results depends on the other rows, on how many there are, or on the row's number",
    false,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::cross_entropy
