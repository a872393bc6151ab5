#include "properties/mutant.hpp"

#include "properties/mutant_table.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace plusmax::properties {

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

const std::vector<Mutant>& all_mutants() {
  static const std::vector<Mutant> mutants = mutant_table();
  return mutants;
}

// The command stands above modules/, the tests stand in directories of their own below it.
std::string mutant_module_path(const Mutant& mutant, std::string_view backend) {
  namespace fs = std::filesystem;
  const fs::path file = fs::path("modules") / "mutants" / (mutant.name + "." + std::string(backend) + ".so");
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  for (fs::path directory = executable.parent_path(); directory.has_relative_path(); directory = directory.parent_path())
    if (fs::exists(directory / file, ignored)) return directory / file;
  return executable.parent_path() / file;
}

}  // namespace plusmax::properties
