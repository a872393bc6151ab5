// report DIR...: the report files again, from the records; several runs (check, mutants, bench) become one report.
#include "reports/report.hpp"
#include "cli/last_words.hpp"
#include "cli/verbs.hpp"
#include "properties/case.hpp"
#include "reports/files.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace plusmax::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> directories;
  std::string out;
  bool quiet = false;
};

// Is --out the first directory itself? Any other source may not be moved or deleted by making room for the report.
bool is_source(const ReportOptions& options) {
  const std::filesystem::path out = reports::real_path(options.out), old = out.string() + ".old";
  for (const std::string& directory : options.directories) {
    const std::filesystem::path source = reports::real_path(directory);
    if (source == old || (source == out && &directory != &options.directories.front()))
      throw properties::UsageError(fmt::format("report: --out {} would move or delete {}, which it reads; name another directory with --out", options.out, directory));
  }
  return reports::real_path(options.directories.front()) == out;
}

void require_distinct(const std::vector<std::string>& directories) {
  std::map<std::filesystem::path, std::string> seen;
  for (const std::string& directory : directories)
    if (const auto [first, fresh] = seen.emplace(reports::real_path(directory), directory); !fresh)
      throw properties::UsageError(
          fmt::format("report: {} and {} are one directory, whose checks would count twice; name it once",
                      first->second, directory));
}

reports::RunData read_all(const std::vector<std::string>& directories) {
  try {
    reports::RunData data = reports::read_run(directories.front());
    for (std::size_t i = 1; i < directories.size(); ++i) reports::merge(data, reports::read_run(directories[i]));
    return data;
  } catch (const std::runtime_error& error) {
    throw properties::UsageError(error.what());
  }
}

// Before anything is read: a run that began afterwards would be overwritten with the verdict of the one before it.
std::vector<reports::DirectoryLock> lock_sources(const std::vector<std::string>& directories, bool in_place) {
  std::vector<reports::DirectoryLock> locks;
  try {
    for (const std::string& directory : directories) {
      const std::filesystem::path path = reports::real_path(directory);
      if (!std::filesystem::is_directory(path)) continue;  // whoever reads it says so
      const bool written = in_place && &directory == &directories.front();
      locks.emplace_back(path, written ? reports::DirectoryLock::writes : reports::DirectoryLock::reads);
    }
    return locks;
  } catch (const reports::FileError& error) {
    throw properties::UsageError(error.what());
  }
}

// Makes room, or sees that a directory can be written in place, which is locked by then.
std::optional<reports::DirectoryLock> prepare(const std::string& out, bool in_place) {
  try {
    if (!in_place) return reports::rotate_directory(out);
    if (::access(out.c_str(), W_OK | X_OK) != 0)
      throw properties::UsageError(
          fmt::format("cannot write to {}: {}; name a writable directory with --out", out, std::strerror(errno)));
    return std::nullopt;
  } catch (const reports::FileError& error) {
    throw properties::UsageError(error.what());
  }
}

int report(const ReportOptions& options) {
  require_distinct(options.directories);
  const bool in_place = options.out.empty() || is_source(options);
  const std::vector<reports::DirectoryLock> locks = lock_sources(options.directories, in_place);
  const reports::RunData data = read_all(options.directories);
  Running running;
  running.out = options.out.empty() ? options.directories.front() : options.out;
  running.quiet = options.quiet;
  const std::optional<reports::DirectoryLock> lock = prepare(running.out, in_place);
  try {
    reports::write_report(reports::real_path(running.out), data);
  } catch (const reports::FileError& error) {
    fmt::print(stderr, "plusmax: {}\n", error.what());
    return reports::kInternal;
  }
  const reports::Summary summary = reports::summarize(data);
  print_last_words(data, summary, running, true);
  return reports::exit_code(summary);
}

}  // namespace

RunVerb add_report(Arguments& arguments) {
  auto options = std::make_shared<ReportOptions>();
  arguments.option("directories", options->directories, "what check, fuzz, mutants or bench wrote; the first gives the meta data", {.required = true});
  arguments.option("--out", options->out, "where the report goes (default: the first directory)");
  arguments.flag("-q,--quiet", options->quiet, "failures only");
  return [options](const Invocation&) { return report(*options); };
}

}  // namespace plusmax::cli
