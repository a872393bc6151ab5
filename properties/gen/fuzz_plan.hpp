// What the fuzzer runs, decided before anything has run.
#pragma once

#include "properties/check.hpp"
#include "properties/gen/fuzz.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace plusmax::properties::gen {

using Checks = std::vector<const Check*>;

// Streams of one seed: what a Case is, which checks it gets, and how a champion is mutated.
constexpr std::uint64_t kCaseStream = 1, kCheckStream = 2, kMutationStream = 3, kSizeStream = 4;

// Throws UsageError, see fuzz().
void require_valid(const FuzzOptions&, std::span<const Subject>);

// By the filter, in their own order.
Checks selected_checks(const FuzzOptions&);

// The checks that every Case gets, and whose error/bound the targeted search drives up: "oracle". Where the filter leaves
// it out, those with a margin; where there is none, all that are selected.
Checks base_checks(const Checks& selected);

// base_checks() and one or two of the others, by (seed, k).
Checks checks_for(std::uint64_t seed, std::uint64_t k, const Checks& selected);

}  // namespace plusmax::properties::gen
