// Cases as RapidCheck generates, shows and shrinks them. A property takes a Case, never an array of floats.
#pragma once

#include "properties/gen/generate.hpp"

#include <rapidcheck.h>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

namespace plusmax::properties::gen {

// Shrinks through simpler(); `budget` is the number of Cases that may be tried along any one path of shrinking.
rc::Shrinkable<Case> shrinkable_case(Case, std::size_t budget);

constexpr std::size_t kShrinkBudget = 600;
rc::Gen<Case> cases(std::string op, CaseLimits = {}, std::size_t shrink_budget = kShrinkBudget);

// Only Cases for which `wanted` holds, drawn again (and larger) until one does. If none of kDraws is wanted, RapidCheck
// counts a discarded Case.
constexpr int kDraws = 20'000;
rc::Gen<Case> cases_where(std::string op, std::function<bool(const Case&)> wanted, CaseLimits = {}, std::size_t shrink_budget = kShrinkBudget);

}  // namespace plusmax::properties::gen

namespace plusmax::properties {
void showValue(const Case&, std::ostream&);  // its line; found by RapidCheck through the argument
}
