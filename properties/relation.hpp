// What the checks share: shapes that keep the layout of the case, launches that a variant may refuse, bounds of rows.
#pragma once

#include "properties/ops/logsumexp.hpp"
#include "properties/random.hpp"
#include "properties/tally.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace plusmax::properties {

// Relations between results look at a few rows of data that fit in memory; larger cases say so here.
inline constexpr std::int64_t kRelationLogits = std::int64_t{1} << 22;
inline constexpr std::int64_t kRelationRows = 4;

// Why a relation does not apply: refused by the variant, no logits, or more than it holds. Empty if it does.
std::string relation_refusal(const Case&, const Subject&);

// The sampled rows of a case.
Rows relation_rows(const Case&);
// Each finite row lowered by its own result, and 0 where its maximum stood: its sum is about 2 and its maximum 0, so that a
// result shows every bit of the sum. Of a spread row, rounding the logarithm alone hides the last four.
Rows peaked(const Rows&);
// The case's way of lying in memory, for another number of rows and columns.
ops::Layout reshaped(const Case&, std::int64_t rows, std::int64_t cols);

struct Measured {
  ops::Results results;
  ErrorShape shape;
};
// A launch, or nothing (noted in the tally) if the variant refuses the shape.
std::optional<Measured> measure(const Subject&, const Rows&, const ops::Layout&, const ops::Execution&, Tally&);

inline reference::LogsumexpBound bound_of(const Rows& rows, std::int64_t r, const ErrorShape& shape) {
  return reference::logsumexp_bound(rows.exact(r), shape);
}
inline bool finite_row(const Rows& rows, std::int64_t r) {
  return rows.exact(r).value_class == reference::ValueClass::finite;
}
// Judges every row of a launch against its own certified value.
void judge_all(std::string_view what, const Rows&, const Measured&, Tally&);
// Every row of `got` has the bits of `want`.
void same_bits(std::string_view what, const ops::Results& got, const ops::Results& want, std::int64_t cols, Tally&);

// Each row of `from` rewritten: out has `cols` elements.
using RowEdit = std::function<void(std::int64_t row, std::span<const double> in, std::span<double> out)>;
Rows edited(const Rows& from, std::int64_t cols, const RowEdit&);

// Random numbers of a check on a case: never shared between checks, never dependent on filters.
Random random_of(const Case&, std::string_view check);

}  // namespace plusmax::properties
