// Catches rows that leak into each other: shared scratch, neighbours read as a tail, splits that depend on the grid.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <algorithm>
#include <limits>

namespace plusmax::properties::logsumexp {
namespace {

constexpr std::int64_t kAddedLogits = std::int64_t{1} << 13;

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.row_stride == 0 && of.rows > 1 ? "row_stride 0: the rows are one memory" : "";
}

// Every row starts at the same place modulo 128 bytes, so that a row may change its number.
Layout level(const Case& of, std::int64_t rows) {
  Layout layout = reshaped(of, rows, of.cols);
  const std::int64_t unit = per_bytes(of.dtype, 128);
  if (layout.row_stride >= layout.col_stride) layout.row_stride = (layout.row_stride + unit - 1) / unit * unit;
  return layout;
}

void one_row(std::string_view what, std::int64_t row, const Results& got, std::int64_t at, const Results& want, std::int64_t cols,
             Tally& tally) {
  tally.same_bits(what, row, got.bits[static_cast<std::size_t>(at)], want.bits[static_cast<std::size_t>(row)], cols);
}

// All rows but one hold something else.
void other_neighbours(const Case& of, const Subject& subject, const Rows& rows, const Results& want, Tally& tally) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double fillers[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 3e4};
  for (std::int64_t keep = 0; keep < rows.rows(); ++keep)
    for (const double filler : fillers) {
      const Rows changed = edited(rows, of.cols, [&](std::int64_t r, auto in, auto out) {
        if (r == keep) std::copy(in.begin(), in.end(), out.begin());
        else std::fill(out.begin(), out.end(), filler == 3e4 ? 29952.0 : filler);  // a number of every storage type
      });
      const auto measured = measure(subject, changed, level(of, rows.rows()), execution_of(subject), tally);
      if (measured) one_row("other rows changed", keep, measured->results, keep, want, of.cols, tally);
    }
}

// Other numbers of rows, and each row under other numbers.
void other_counts(const Case& of, const Subject& subject, const Rows& rows, const Results& want, Tally& tally) {
  const std::int64_t most = std::clamp<std::int64_t>(kAddedLogits / of.cols, 1, 300);
  const bool movable = reshaped(of, rows.rows(), of.cols).row_stride >= reshaped(of, rows.rows(), of.cols).col_stride;
  for (const std::int64_t count : {std::int64_t{1}, rows.rows() + 1, rows.rows() + most}) {
    std::vector<std::int64_t> which;
    // Reversed where rows may move: the last of them comes first.
    for (std::int64_t k = 0; k < count; ++k) which.push_back((movable ? rows.rows() * count - 1 - k : k) % rows.rows());
    const auto measured = measure(subject, select(rows, which), level(of, count), execution_of(subject), tally);
    if (!measured) continue;
    for (std::int64_t k = 0; k < count; ++k) {
      if (!movable && k >= rows.rows()) break;
      one_row("as row " + std::to_string(k) + " of " + std::to_string(count), which[static_cast<std::size_t>(k)], measured->results, k, want,
              of.cols, tally);
    }
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = peaked(relation_rows(of));
  const auto given = measure(subject, rows, level(of, rows.rows()), execution_of(subject), tally);
  if (given) {
    other_neighbours(of, subject, rows, given->results, tally);
    other_counts(of, subject, rows, given->results, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check row_independence;
const Check row_independence = {"row_independence", "no bit of a result depends on the other rows, on how many there are, or on the row's number",
                                false, applies, run};
}  // namespace plusmax::properties::logsumexp
