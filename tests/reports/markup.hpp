// A strict look at tags: every one closed, in order, attributes quoted, & < > escaped. Enough for what we write.
#pragma once

#include <string>

namespace plusmax::reports::testing {

std::string markup_error(const std::string& text);  // empty if it is well-formed

}  // namespace plusmax::reports::testing
