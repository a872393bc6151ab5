// What to say about a name that nothing has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plusmax::cli {

// "unknown variant 'warp_pr_row': did you mean 'warp_per_row'?"
std::string unknown_name(std::string_view kind, std::string_view typed, const std::vector<std::string>& known);

}  // namespace plusmax::cli
