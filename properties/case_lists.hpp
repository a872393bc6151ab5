// The two list-valued keys of a case line: data=[[1,2],[3,4]] and set=0:5=8,0:9=nan.
#pragma once

#include "properties/case.hpp"

namespace plusmax::properties {

std::vector<std::vector<double>> parse_data(
    std::string_view text);  // throws UsageError; every row has the length of row 0
std::string data_text(const std::vector<std::vector<double>>&);
std::vector<Patch> parse_set(std::string_view text);  // throws UsageError
std::string set_text(const std::vector<Patch>&);

}  // namespace plusmax::properties
