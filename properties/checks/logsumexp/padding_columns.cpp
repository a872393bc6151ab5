// Catches masked logits that count: a finite stand-in for -inf, NaN from a tile without a finite logit.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <limits>

namespace plusmax::properties::logsumexp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// -inf behind the row: it moves elements to other threads, so only the bound holds.
void append(const Case& of, const Subject& subject, const Rows& rows, Tally& tally) {
  for (const std::int64_t more : {std::int64_t{1}, std::int64_t{7}, of.cols / 3 + 64}) {
    const Rows longer = edited(rows, of.cols + more, [](std::int64_t, auto in, auto out) {
      std::fill(std::copy(in.begin(), in.end(), out.begin()), out.end(), -kInfinity);
    });
    const auto measured = measure(subject, longer, reshaped(of, rows.rows(), of.cols + more), execution_of(subject), tally);
    if (measured) judge_all("with -inf columns appended", longer, *measured, tally);
  }
}

// Whether a masked column holds -inf or the lowest number, both add exactly 0 in the same thread: the bits must agree.
void replace(const Case& of, const Subject& subject, const Rows& rows, const Random& random, Tally& tally) {
  const double lowest = -reference::largest(of.dtype);
  const auto masked = [&](double mask) {
    return edited(rows, of.cols, [&, mask](std::int64_t r, auto in, auto out) {
      const std::size_t keep = rows.exact(r).argmax;
      const bool ready = finite_row(rows, r) && rows.exact(r).max > lowest / 2;
      for (std::size_t j = 0; j < in.size(); ++j) {
        // Whole stretches, so that some tiles keep no finite logit, and single columns.
        const bool stretch = random.uniform(j / 64, static_cast<std::uint64_t>(r)) < 0.4;
        const bool alone = random.uniform(j, static_cast<std::uint64_t>(r) + 1000) < 0.2;
        out[j] = ready && j != keep && (stretch || alone) ? mask : in[j];
      }
    });
  };
  const Rows at_infinity = masked(-kInfinity), at_lowest = masked(lowest);
  const Layout layout = reshaped(of, rows.rows(), of.cols);
  const auto one = measure(subject, at_infinity, layout, execution_of(subject), tally);
  const auto other = measure(subject, at_lowest, layout, execution_of(subject), tally);
  if (!one || !other) return;
  judge_all("with masked columns", at_infinity, *one, tally);
  for (std::int64_t r = 0; r < rows.rows(); ++r) {
    if (!finite_row(rows, r)) continue;
    tally.same_bits("-inf against the lowest number", r, one->results.bits[static_cast<std::size_t>(r)],
                    other->results.bits[static_cast<std::size_t>(r)], of.cols);
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = relation_rows(of);
  append(of, subject, rows, tally);
  replace(of, subject, rows, random_of(of, "padding_columns"), tally);
  tally.part_skipped("no row with a finite result");
  tally.finish();
}

}  // namespace
extern const Check padding_columns;
const Check padding_columns = {"padding_columns", "columns at -inf add nothing, wherever they stand", true, relation_refusal, run};
}  // namespace plusmax::properties::logsumexp
