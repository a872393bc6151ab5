// The table of planted mistakes as CMake writes it. Everyone else asks all_mutants().
#pragma once

#include "properties/mutant.hpp"

#include <string_view>

namespace plusmax::properties {

std::vector<Mutant> mutant_table();  // sorted by name
std::vector<std::string> words(std::string_view text, char separator);  // the pieces that are not empty

}  // namespace plusmax::properties
