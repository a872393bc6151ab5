// fuzz: searches for failures until its time is up; each is shrunk, stored, and printed as one replay line.
#include "cli/fuzz_work.hpp"
#include "cli/verbs.hpp"
#include "properties/gen/bridge.hpp"

#include <fmt/format.h>

#include <memory>

namespace plusmax::cli {
namespace {

struct FuzzVerbOptions {
  FuzzRequest request;
  Running running;
  std::string duration;
  std::string check;
};

int fuzz(FuzzVerbOptions options, const Invocation& invocation) {
  if (!options.check.empty()) options.request.selection.checks = {options.check};
  options.request.selection.validate();
  if (!options.duration.empty()) options.request.seconds = parse_duration(options.duration);
  if (options.request.seconds == 0 && options.request.cases == 0) options.request.seconds = 60;
  if (options.request.failures.empty()) options.request.failures = options.running.out + "/failures";
  const Backend backend = choose_backend(options.request.selection);
  select_subjects(backend, options.request.selection);
  Run run(invocation, options.running, "fuzz", "", backend);
  run_fuzz(options.request, backend, options.running, run);
  return run.finish();
}

}  // namespace

RunVerb add_fuzz(CLI::App& app) {
  auto options = std::make_shared<FuzzVerbOptions>();
  options->running.seed = properties::gen::kDefaultSeed;
  add_backend(app, options->request.selection);
  app.add_option("--module", options->request.selection.module, "test the kernel module at this path instead");
  app.add_option("--op", options->request.selection.op, "only this operation");
  app.add_option("--variant", options->request.selection.variant, "only this variant");
  app.add_option("--dtype", options->request.selection.dtype, "only this storage type");
  app.add_option("--check", options->check, "only this check");
  app.add_option("--for", options->duration, "how long: 60s, 5m, 1h (default 60s, or as long as --cases takes)");
  app.add_option("--cases", options->request.cases, "how many generated cases")->check(CLI::PositiveNumber);
  app.add_option("--failures", options->request.failures, "failure database: replayed first, added to (default OUT/failures)");
  app.add_option("--seed", options->running.seed, "of everything generated")->check(refuse_seed)->capture_default_str();
  add_running(app, options->running);
  return [options](const Invocation& invocation) { return fuzz(*options, invocation); };
}

}  // namespace plusmax::cli
