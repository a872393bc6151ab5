// Catches one lost or doubled column, which no spread row can show: 64 spikes carry the whole sum, and each column is one once.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::logsumexp {
namespace {

constexpr double kFloor = -60;  // e^-60 times any number of columns is below every bound
constexpr std::int64_t kSpikes = 64;
constexpr std::int64_t kMostLogits = std::int64_t{1} << 27;

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  if (of.cols < 2) return "needs two columns";
  return of.cols > kRelationLogits / 2 ? "more columns than a sweep of the row takes" : "";
}

// Row r has its spikes at r, r + rows, r + 2 rows, ...
std::int64_t spikes_in(std::int64_t row, std::int64_t rows, std::int64_t cols) { return (cols - row + rows - 1) / rows; }

// log(count) in closed form, with all that is known about the row.
reference::LogsumexpRow closed_form(std::int64_t row, std::int64_t count, std::int64_t cols) {
  const double rest = static_cast<double>(cols - count) * 8.8e-27;  // e^-60 < 8.8e-27
  reference::LogsumexpRow exact;
  exact.value_class = reference::ValueClass::finite;
  exact.cols = static_cast<std::size_t>(cols);
  exact.max = 0;
  exact.argmax = static_cast<std::size_t>(row);
  exact.sum = {static_cast<double>(count), 0};
  exact.sum_without_max = {static_cast<double>(count - 1), 0};
  exact.log_sum = exact.lse = {std::log(static_cast<double>(count)), 0};
  exact.mean_distance = rest * -kFloor;
  exact.error = rest + std::ldexp(exact.lse.hi + 1, -52);
  return exact;
}

// Whether one spike of `count` could be missing within the bound.
bool hidden(std::int64_t count, std::int64_t cols, const ErrorShape& shape) {
  return !(reference::logsumexp_bound(closed_form(0, count, cols), shape).value < 0.25 / static_cast<double>(count));
}

// More spikes in a long row, so that the sweep stays short; fewer again where the bound is too wide to miss one of them.
std::int64_t spikes_for(std::int64_t cols, const ErrorShape& shape) {
  std::int64_t spikes = std::min(kSpikes, cols);
  while (spikes < cols && (cols + spikes - 1) / spikes > kRelationLogits / cols) spikes *= 2;
  while (spikes > 2 && hidden(spikes, cols, shape)) spikes /= 2;
  return std::min(spikes, cols);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const ErrorShape shape = error_shape(subject, of.dtype, of.rows, of.cols, layout_of(of));
  const std::int64_t spikes = spikes_for(of.cols, shape), count = (of.cols + spikes - 1) / spikes;
  if (count > kMostLogits / of.cols) {
    tally.part_skipped("the bound is so wide that a sweep would take " + std::to_string(count) + " rows");
    return tally.finish();
  }
  const Rows rows(of.dtype, count, of.cols, [&](std::int64_t r, double* out) {
    for (std::int64_t j = 0; j < of.cols; ++j) out[j] = j % count == r ? 0 : kFloor;
  });
  const auto measured = measure(subject, rows, reshaped(of, count, of.cols), execution_of(subject), tally);
  std::vector<double> scratch;
  for (std::int64_t r = 0; measured && r < count; ++r) {
    const std::int64_t here = spikes_in(r, count, of.cols);
    const auto exact = closed_form(r, here, of.cols);
    const auto bound = reference::logsumexp_bound(exact, measured->shape);
    judge(std::to_string(here) + " spikes", of.dtype, r, measured->results.lse[static_cast<std::size_t>(r)], exact, bound,
          rows.row(r, scratch), tally);
  }
  tally.finish();
}

}  // namespace
extern const Check every_column;
const Check every_column = {"every_column", "every column reaches the result, and reaches it once", true, applies, run, true};
}  // namespace plusmax::properties::logsumexp
