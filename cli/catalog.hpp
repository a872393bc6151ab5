// What a build contains, as lists of names.
#pragma once

#include "cli/backend.hpp"

#include <string>
#include <vector>

namespace plusmax::cli {

struct VariantFacts {
  std::string op, name, backend;
  std::vector<std::string> dtypes;
};
std::vector<VariantFacts> variants_of(const Backend& backend, const Selection& selection);

std::vector<std::string> profile_names();

}  // namespace plusmax::cli
