// What the checks of logsumexp share: launches that a variant may refuse, and rows judged by their certified values.
#pragma once

#include "properties/ops/logsumexp/launch.hpp"
#include "properties/relation.hpp"
#include "properties/tally.hpp"
#include "reference/bound.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plusmax::properties::logsumexp {

// Why a relation does not apply: refused by the variant, no logits, or more than it holds. Empty if it does.
std::string relation_refusal(const Case&, const Subject&);

struct Measured {
  Results results;
  ErrorShape shape;
};
// A launch, or nothing (noted in the tally) if the variant refuses the shape.
std::optional<Measured> measure(const Subject&, const Rows&, const Layout&, const Execution&, Tally&);

double value_of(const reference::LogsumexpRow&);  // as one double, NaN and infinities included
inline reference::LogsumexpBound bound_of(const Rows& rows, std::int64_t r, const ErrorShape& shape) {
  return reference::logsumexp_bound(rows.exact(r), shape);
}

// Against the certified value of a row: the one rule. `what` names the part of the check ("reversed columns").
void judge(std::string_view what, plusmax_dtype logits, std::int64_t row, double got,
           const reference::LogsumexpRow& exact, const reference::LogsumexpBound& bound, std::span<const double> data,
           Tally&);
void judge(std::string_view what, const Rows&, std::int64_t row, double got, const ErrorShape&, Tally&);
void judge_all(std::string_view what, const Rows&, const Measured&, Tally&);
// Every row of `got` has the bits of `want`.
void same_bits(std::string_view what, const Results& got, const Results& want, std::int64_t cols, Tally&);

}  // namespace plusmax::properties::logsumexp
