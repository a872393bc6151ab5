// report DIR...: the report files again, from the records; several runs (check, mutants, bench) become one report.
#include "cli/last_words.hpp"
#include "cli/verbs.hpp"
#include "properties/case.hpp"
#include "reports/report.hpp"

#include <fmt/format.h>

#include <memory>

namespace plusmax::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> directories;
  std::string out;
  bool quiet = false;
};

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
    if (!options.out.empty()) reports::rotate_directory(options.out);
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
