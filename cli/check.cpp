// check: case files and properties on every variant of a backend.
#include "cli/check_work.hpp"
#include "cli/catalog.hpp"
#include "cli/suggest.hpp"
#include "cli/verbs.hpp"
#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <memory>

namespace plusmax::cli {
namespace {

struct CheckOptions {
  PlanRequest plan;
  Running running;
  std::string profile = "ci";
  bool dry_run = false;
};

int dry_run(const Plan& plan, const Backend& backend, const CheckOptions& options) {
  const int jobs = jobs_for(backend, options.running.jobs);
  fmt::print("seed {}, {}\n", options.running.seed, backend.device.description);
  fmt::print("{} cases on {} variants: {} checks, {} logits to be checked, about {} with {} {}\n", plan.cases.size(), plan.subjects.size(), plan.units(),
             reports::grouped(plan.logits()), reports::duration(plan.estimated_seconds(jobs)), jobs, jobs == 1 ? "process" : "processes");
  if (!plan.set_aside.empty())
    fmt::print("{} more are set aside, as refused, later or too large for the {}\n", plan.set_aside.size(),
               backend.name);
  if (plan.groups.empty() && plan.set_aside.empty()) return reports::kNothingSelected;
  return plan.runs_something() ? reports::kAllPassed : reports::kAllSkipped;
}

int check(CheckOptions options, const Invocation& invocation) {
  const auto profile = properties::profile_from(options.profile);
  if (!profile) throw properties::UsageError(unknown_name("profile", options.profile, profile_names()));
  options.plan.profile = *profile;
  options.plan.seed = options.running.seed;
  options.plan.selection.validate();
  if (options.plan.seed != 0 && !options.plan.case_file.empty())
    throw properties::UsageError(
        fmt::format("--seed {} has no effect on --cases {}, whose lines say their own data; leave one of the two out",
                    options.plan.seed, options.plan.case_file));
  const Backend backend = choose_backend(options.plan.selection);
  const Plan plan = make_plan(options.plan, backend);
  if (options.dry_run) return dry_run(plan, backend, options);
  if (plan.groups.empty() && plan.set_aside.empty()) {
    fmt::print(stderr, "plusmax: no check of no case is selected; `./plusmax check --dry-run` shows what a selection holds\n");
    return reports::kNothingSelected;
  }
  Run run(invocation, options.running, "check", options.plan.case_file.empty() ? options.profile : options.plan.case_file, backend);
  run_plan(plan, backend, options.running, run);
  return run.finish();
}

}  // namespace

RunVerb add_check(Arguments& arguments) {
  auto options = std::make_shared<CheckOptions>();
  options->running.seed = 0;
  add_selection(arguments, options->plan.selection);
  arguments.option("--profile", options->profile, "smoke, ci or full", {.shows_default = true});
  arguments.option("--cases", options->plan.case_file, "run this case file instead of a profile", {.refuse = refuse_no_name});
  arguments.option("--seed", options->running.seed, "other data for every case of the profile; 0: as written", {.refuse = refuse_seed, .shows_default = true});
  arguments.flag("--dry-run", options->dry_run, "only say how much there is to do");
  add_running(arguments, options->running);
  return [options](const Invocation& invocation) { return check(*options, invocation); };
}

}  // namespace plusmax::cli
