#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/code.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

namespace plusmax::simt::race {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, std::size_t(length)) : std::string();
}

// One "file:line" per inlined call, the innermost first; empty if there is no such program or no debug information.
std::vector<std::string> lines_of(const std::string& module, std::uintptr_t offset) {
  if (module.find('\'') != std::string::npos) return {};
  char command[4400];
  const int length = std::snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%zx 2>/dev/null", module.c_str(),
                                   std::size_t(offset));
  if (length < 0 || std::size_t(length) >= sizeof command) return {};
  std::FILE* pipe = popen(command, "re");
  if (!pipe) return {};
  std::vector<std::string> lines;
  char text[4096];
  while (std::fgets(text, sizeof text, pipe)) {
    std::string line = base_name(text);
    line.erase(line.find_last_not_of("\n") + 1);
    line.erase(std::min(line.size(), line.find(" (discriminator")));
    if (!line.empty() && line[0] != '?') lines.push_back(line);
  }
  pclose(pipe);
  return lines;
}

}  // namespace

std::string describe_code(const void* return_address) {
  static std::map<const void*, std::string> known;
  std::string& text = known[return_address];
  if (!text.empty()) return text;
  const std::uintptr_t call = reinterpret_cast<std::uintptr_t>(return_address) - 1;  // the call lies before it
  Dl_info info{};
  link_map* map = nullptr;
  if (!dladdr1(reinterpret_cast<void*>(call), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) {
    text = "unknown code";
    return text;
  }
  const std::uintptr_t offset = call - map->l_addr;
  const std::string module = map->l_name && *map->l_name ? map->l_name : executable();
  const std::vector<std::string> lines = lines_of(module, offset);
  if (lines.empty()) {
    char raw[32];
    std::snprintf(raw, sizeof raw, "+0x%zx", std::size_t(offset));
    text = base_name(module) + raw;
  } else {
    text = lines.front();
    if (lines.size() > 1) text += " (from " + lines.back() + ")";
  }
  return text;
}

}  // namespace plusmax::simt::race

#endif  // PLUSMAX_RACE
