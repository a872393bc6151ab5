// The check `expected`, the same for every operation: each number that a case file prints an answer for, within the
// bound that the variant has there and half a unit of the last digit shown.
#pragma once

#include "properties/case_file.hpp"
#include "properties/record.hpp"
#include "properties/subject.hpp"
#include "properties/tally.hpp"

#include <string>
#include <string_view>

namespace plusmax::properties {

// Why there is nothing to compare on a case of the built-in files, or empty; and the comparison.
std::string answer_refusal(const Case&, const Subject&);
void check_answers(const Case&, Subject&, Record&);

// Against the answers of any row. `from` is what a failure names.
void compare_answers(std::string_view from, const CaseRow&, const Subject&, Tally&);

}  // namespace plusmax::properties
