// fuzz: searches for failures until its time is up; each is shrunk, stored, and printed as one replay line.
#include "cli/fuzz_work.hpp"
#include "cli/verbs.hpp"
#include "properties/gen/bridge.hpp"
#include "properties/gen/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

namespace plusmax::cli {
namespace {

struct FuzzVerbOptions {
  FuzzRequest request;
  Running running;
  std::string duration;
  std::string check;
};

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first == directory.end();
}

// The real path of the failure database, which making room for the run must not move or delete.
std::string failures_of(const FuzzVerbOptions& options) {
  const std::filesystem::path out = reports::real_path(options.running.out), own = out / "failures";
  if (options.request.failures.empty()) return own.string();
  const std::filesystem::path given = reports::real_path(options.request.failures);
  if (const std::filesystem::path run = reports::run_around(given); !run.empty() && !lies_in(given, run / "failures") && run != out)
    throw properties::UsageError(fmt::format("--failures {} would put files into {}, which holds a run; use {}, or a directory elsewhere",
                                             options.request.failures, run.string(), (run / "failures").string()));
  if ((lies_in(given, out) && !lies_in(given, own)) || lies_in(given, out.string() + ".old"))
    throw properties::UsageError(fmt::format(
        "--failures {} would be moved or deleted with the previous run in --out {}; use {}, or a directory elsewhere",
        options.request.failures, options.running.out, own.string()));
  std::error_code error;
  std::filesystem::create_directories(given, error);
  if (error)
    throw properties::UsageError(
        fmt::format("--failures {}: {}; name a directory", options.request.failures, error.message()));
  return given.string();
}

// Before the previous run moves away.
std::vector<properties::Case> stored_failures(const std::string& directory) {
  try {
    return properties::gen::load_failures(directory);
  } catch (const std::runtime_error& error) {
    throw properties::UsageError(error.what());
  }
}

int fuzz(FuzzVerbOptions options, const Invocation& invocation) {
  if (!options.check.empty()) options.request.selection.checks = {options.check};
  options.request.selection.validate();
  if (!options.duration.empty()) options.request.seconds = parse_duration(options.duration);
  if (options.request.seconds == 0 && options.request.cases == 0) options.request.seconds = 60;
  options.request.failures = failures_of(options);
  try {
    reports::restore_failures(options.running.out);
  } catch (const reports::FileError& error) {
    throw properties::UsageError(error.what());
  }
  options.request.stored = stored_failures(options.request.failures);
  const Backend backend = choose_backend(options.request.selection);
  select_subjects(backend, options.request.selection);
  Run run(invocation, options.running, "fuzz", "", backend);
  run.keep_digest();
  run_fuzz(options.request, backend, options.running, run);
  return run.finish();
}

}  // namespace

RunVerb add_fuzz(Arguments& arguments) {
  auto options = std::make_shared<FuzzVerbOptions>();
  options->running.seed = properties::gen::kDefaultSeed;
  add_backend(arguments, options->request.selection);
  arguments.option("--module", options->request.selection.module, "test the kernel module at this path instead");
  arguments.option("--op", options->request.selection.op, "only this operation");
  arguments.option("--variant", options->request.selection.variant, "only this variant");
  arguments.option("--dtype", options->request.selection.dtype, "only this storage type");
  arguments.option("--check", options->check, "only this check");
  arguments.option("--for", options->duration, "how long: 60s, 5m, 1h (default 60s, or as long as --cases takes)");
  arguments.option("--cases", options->request.cases, "how many generated cases of each operation", {.refuse = refuse_no_count});
  arguments.option("--failures", options->request.failures,
                 "failure database: what --dtype and --check select of it is replayed first, and failures are added "
                 "(default OUT/failures)");
  arguments.option("--seed", options->running.seed, "of everything generated", {.refuse = refuse_seed, .shows_default = true});
  add_running(arguments, options->running);
  return [options](const Invocation& invocation) { return fuzz(*options, invocation); };
}

}  // namespace plusmax::cli
