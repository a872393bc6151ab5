// What this executable was built from and with.
#pragma once

#include <string>

namespace plusmax::cli {

struct BuildInfo {
  std::string version;    // "0.1.0"
  std::string git;        // "0123456789ab", with "+dirty" behind it, or "unknown" outside a checkout
  std::string toolchain;  // "GCC 12.2.0, RelWithDebInfo, glibc 2.36"
};
const BuildInfo& build_info();

}  // namespace plusmax::cli
