#include "properties/gen/failures.hpp"

#include "properties/gen/hash.hpp"
#include "properties/operation.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace plusmax::properties::gen {
namespace {

namespace fs = std::filesystem;

Case read_case(const fs::path& path) {
  std::ifstream file(path);
  std::string line, more;
  if (!file || !std::getline(file, line)) {
    throw std::runtime_error(fmt::format("cannot read a case from {}: {}; repair or delete the file", path.string(),
                                         file ? std::strerror(errno) : "no line in it"));
  }
  while (std::getline(file, more))
    if (!more.empty()) throw UsageError(fmt::format("{} has more than one line: keep the first", path.string()));
  try {
    Case of = parse_case(line);
    operation_named(of.op);
    return of;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace

std::string failure_file_name(const Case& c) { return fmt::format("{:016x}.case", hash_of(to_line(c))); }

std::vector<Case> load_failures(const std::string& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) return {};
  fs::directory_iterator entries(directory, error);
  if (error) throw std::runtime_error(fmt::format("cannot read the failure database {}: {}", directory, error.message()));
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : entries) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Case> all;
  for (const fs::path& path : paths) all.push_back(read_case(path));
  return all;
}

std::string store_failure(const std::string& directory, const Case& c) {
  const fs::path path = fs::path(directory) / failure_file_name(c);
  const fs::path draft = fs::path(path).replace_extension(fmt::format(".{}.tmp", ::getpid()));
  const auto refuse = [&](const std::string& why) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    throw std::runtime_error(fmt::format("cannot store a failing case in {}: {}; its line is: {}", path.string(), why, to_line(c)));
  };
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) refuse(error.message());
  std::ofstream file(draft, std::ios::trunc);
  file << to_line(c) << '\n';
  file.close();
  if (!file) refuse(std::strerror(errno));
  fs::rename(draft, path, error);
  if (error) refuse(error.message());
  return path.string();
}

}  // namespace plusmax::properties::gen
