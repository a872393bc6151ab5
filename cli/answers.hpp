// The check `expected` on the rows of --cases FILE: its answers are known only here.
#pragma once

#include "properties/case_file.hpp"
#include "properties/record.hpp"
#include "properties/subject.hpp"

namespace plusmax::cli {

// False for the built-in files, which the check knows by itself.
bool has_answers(const properties::CaseRow& row, const std::string& source);
properties::Record check_answers(const properties::CaseRow& row, properties::Subject& subject);

}  // namespace plusmax::cli
