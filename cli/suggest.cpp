#include "cli/suggest.hpp"

#include "properties/suggest.hpp"

#include <fmt/format.h>

namespace plusmax::cli {

std::string unknown_name(std::string_view kind, std::string_view typed, const std::vector<std::string>& known) {
  if (known.empty()) return fmt::format("unknown {} '{}': this build has none", kind, typed);
  return fmt::format("unknown {} '{}'{}", kind, typed, properties::suggestion(typed, known));
}

}  // namespace plusmax::cli
