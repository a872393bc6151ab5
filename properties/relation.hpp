// What the checks of every operation share: a few rows of a case, edited, lying in memory as the case's do.
#pragma once

#include "properties/execution.hpp"
#include "properties/random.hpp"
#include "properties/rows.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace plusmax::properties {

// Relations between results look at a few rows of data that fit in memory; larger cases say so here.
inline constexpr std::int64_t kRelationLogits = std::int64_t{1} << 22;
inline constexpr std::int64_t kRelationRows = 4;

// Why relations do not apply to the shape of a case: no logits, or too many. Empty if they do.
std::string relation_refusal(const Case&);

// The sampled rows of a case.
Rows relation_rows(const Case&);
// Each finite row lowered by its own result, and 0 where its maximum stood: its sum is about 2 and its maximum 0, so
// that a result shows every bit of the sum. Of a spread row, rounding the logarithm alone hides the last four.
Rows peaked(const Rows&);
// The case's way of lying in memory, for another number of rows and columns.
Layout reshaped(const Case&, std::int64_t rows, std::int64_t cols);

inline bool finite_row(const Rows& rows, std::int64_t r) {
  return rows.exact(r).value_class == reference::ValueClass::finite;
}

// Each row of `from` rewritten: out has `cols` elements.
using RowEdit = std::function<void(std::int64_t row, std::span<const double> in, std::span<double> out)>;
Rows edited(const Rows& from, std::int64_t cols, const RowEdit&);

// Random numbers of a check on a case: never shared between checks, never dependent on filters.
Random random_of(const Case&, std::string_view check);

}  // namespace plusmax::properties
