// What the checks of cross_entropy share: launches that a variant may refuse, and results judged by their certified
// values.
#pragma once

#include "properties/ops/cross_entropy/exact.hpp"
#include "properties/ops/cross_entropy/launch.hpp"
#include "properties/ops/cross_entropy/row_view.hpp"
#include "properties/relation.hpp"
#include "properties/tally.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace plusmax::properties::cross_entropy {

struct Measured {
  Results results;
  CrossEntropyShape shape;
};
// A launch, or nothing (noted in the tally) if the variant refuses the call.
std::optional<Measured> measure(const Subject&, const Call&, const Execution&, Tally&);
std::optional<Measured> measure_backward(const Subject&, const Call&, const Output& state, const Execution&, Tally&);

// Every number that the call has left, against its certified value. Of the gradients of very many rows, those of a
// sample and all equal ones. `what` names the part of the check ("last logit at the edge").
void judge_all(std::string_view what, const Exact&, const Measured&, Tally&);
// One element of a gradient.
void judge_element(std::string_view what, const RowView&, std::int64_t row, reference::CrossEntropyQuestion, double got,
                   plusmax_dtype stored, Tally&);
// Everything that both have is the same, bit for bit, NaN being one value; `row` of got against `as` of want, for results of one row.
void same_bits(std::string_view what, const Results& got, const Results& want, std::int64_t cols, Tally&);
void same_row(std::string_view what, const Results& got, std::int64_t row, const Results& want, std::int64_t as,
              std::int64_t cols, Tally&);

// Why a relation does not apply: refused by the variant, no logits, or more than it holds. Empty if it does.
std::string relation_refusal(const Case&, const Subject&);
// A few rows of a case, with every output, lying in memory as the case's do.
Call relation_call(const Case&);

}  // namespace plusmax::properties::cross_entropy
