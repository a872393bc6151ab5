// report DIR...: the report files again, from the records; several runs (check, mutants, bench) become one report.
#include "cli/last_words.hpp"
#include "cli/verbs.hpp"
#include "properties/case.hpp"
#include "reports/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace plusmax::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> directories;
  std::string out;
  bool quiet = false;
};

// Is --out the first directory itself? Any other source may not be moved or deleted by making room for the report.
bool is_source(const ReportOptions& options) {
  const auto canonical = [](const std::string& path) {
    const std::filesystem::path whole = std::filesystem::weakly_canonical(path).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();  // "DIR/" is DIR
  };
  const std::filesystem::path out = canonical(options.out), old = out.string() + ".old";
  for (const std::string& directory : options.directories) {
    const auto source = canonical(directory);
    if (source == old || (source == out && &directory != &options.directories.front()))
      throw properties::UsageError(fmt::format("report: --out {} would move or delete {}, which it reads; name another directory with --out", options.out, directory));
  }
  return canonical(options.directories.front()) == out;
}

int report(const ReportOptions& options) {
  reports::RunData data;
  try {
    data = reports::read_run(options.directories.front());
    for (std::size_t i = 1; i < options.directories.size(); ++i) reports::merge(data, reports::read_run(options.directories[i]));
  } catch (const std::runtime_error& error) {
    throw properties::UsageError(error.what());
  }
  Running running;
  running.out = options.out.empty() ? options.directories.front() : options.out;
  running.quiet = options.quiet;
  try {
    if (!options.out.empty() && !is_source(options)) reports::rotate_directory(options.out);
    reports::write_report(running.out, data);
  } catch (const reports::FileError& error) {
    throw properties::UsageError(error.what());
  }
  const reports::Summary summary = reports::summarize(data);
  print_last_words(data, summary, running, true);
  return reports::exit_code(summary);
}

}  // namespace

RunVerb add_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("directories", options->directories, "what check, fuzz, mutants or bench wrote; the first gives the meta data")->required();
  app.add_option("--out", options->out, "where the report goes (default: the first directory)");
  app.add_flag("-q,--quiet", options->quiet, "failures only");
  return [options](const Invocation&) { return report(*options); };
}

}  // namespace plusmax::cli
