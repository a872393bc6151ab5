#include "cli/build_info.hpp"

#include "cli/git_revision.hpp"

#include <fmt/format.h>

#include <gnu/libc-version.h>

namespace plusmax::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string toolchain() {
  std::string text = fmt::format("{}, {}, glibc {}", compiler(), PLUSMAX_BUILD_TYPE, gnu_get_libc_version());
  const std::string sanitize = PLUSMAX_SANITIZE_NAME;
  return sanitize.empty() ? text : text + ", sanitizer " + sanitize;
}

}  // namespace

const BuildInfo& build_info() {
  static const BuildInfo info{PLUSMAX_VERSION_TEXT, PLUSMAX_GIT_REVISION, toolchain()};
  return info;
}

}  // namespace plusmax::cli
