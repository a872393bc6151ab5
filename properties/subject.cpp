#include "properties/subject.hpp"

#include "properties/operation.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <stdexcept>

namespace plusmax::properties {

const Module* host_module() { return plusmax_module(); }

// Modules stay loaded: kernels leave static tables behind, and a case must meet the same module each time.
const Module* load_module(const std::string& path) {
  static std::map<std::string, const Module*> loaded;
  if (const auto known = loaded.find(path); known != loaded.end()) return known->second;
  // That its kernels are its own and not the executable's is up to its link (-Bsymbolic), not to RTLD_DEEPBIND, which
  // sanitizers refuse.
  // By a path: a bare name would be looked for among the system's libraries.
  void* library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(fmt::format("cannot load {}: {}", path, dlerror()));
  dlerror();
  const auto entry = reinterpret_cast<ModuleEntry>(dlsym(library, "plusmax_module"));
  if (!entry) throw std::runtime_error(fmt::format("{} is no kernel module: {}", path, dlerror()));
  const Module* module = entry();
  if (!module || !module->device) throw std::runtime_error(fmt::format("{}: plusmax_module() gives no module", path));
  loaded[path] = module;
  return module;
}

std::vector<Subject> subjects_of(const Module& module, std::string_view op, std::string_view variant_filter) {
  const Operation* operation = find_operation(op);
  if (!operation) return {};
  std::vector<Subject> subjects = operation->subjects(module);
  if (!variant_filter.empty())
    std::erase_if(subjects, [&](const Subject& subject) { return subject.variant != variant_filter; });
  return subjects;
}

}  // namespace plusmax::properties
