// Rendered text against approved files. PLUSMAX_APPROVE=1 in the environment accepts what is rendered now.
#pragma once

#include <string>

namespace plusmax::reports::testing {

void check_approved(const std::string& name, const std::string& text);  // tests/reports/approved/NAME

}  // namespace plusmax::reports::testing
