// bench: time and bandwidth of each variant, as shares of a ceiling measured in the same process; results are checked again
// after timing, and a figure faster than memory allows is refused.
#include "cli/bench_cases.hpp"
#include "cli/bench_table.hpp"
#include "cli/bench_work.hpp"
#include "cli/suggest.hpp"
#include "cli/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace plusmax::cli {
namespace {

struct BenchVerbOptions {
  Selection selection;
  Running running;
  std::vector<std::string> shapes;
  std::string options;
  BenchWork work;
};

std::vector<const properties::Operation*> chosen_operations(const Selection& selection) {
  std::vector<const properties::Operation*> chosen;
  for (const properties::Operation* operation : properties::operations::all())
    if (operation->bench_bed != nullptr && (selection.op.empty() || selection.op == operation->name)) chosen.push_back(operation);
  return chosen;
}

bool has_subject(const properties::BenchCase& at, const std::vector<properties::Subject>& subjects) {
  return std::any_of(subjects.begin(), subjects.end(), [&](const properties::Subject& subject) { return is_about(at, subject); });
}

int bench(BenchVerbOptions options, const Invocation& invocation) {
  options.selection.validate();
  const Backend backend = choose_backend(options.selection);
  if (backend.module->bench == nullptr) throw properties::UsageError(fmt::format("the {} module cannot measure time", backend.name));
  if (options.work.loaded && std::string_view(backend.module->device->backend()) == "host") throw properties::UsageError(fmt::format("--loaded needs --backend cuda; the {} backend has no matrix products", backend.name));
  const std::vector<properties::Subject> subjects = select_subjects(backend, options.selection);
  std::vector<properties::BenchCase> cases;
  for (const properties::Operation* operation : chosen_operations(options.selection))
    for (properties::BenchCase& of : bench_cases(*operation, options.shapes, options.options, options.selection, backend.name, options.running.seed))
      if (has_subject(of, subjects)) cases.push_back(std::move(of));
  if (cases.empty()) {
    fmt::print(stderr, "plusmax: no default shape of these variants{}; name one with --shape ROWSxCOLS\n", options.selection.dtype.empty() ? "" : " has dtype " + options.selection.dtype);
    return reports::kNothingSelected;
  }
  Run run(invocation, options.running, "bench", "", backend);
  run_bench(cases, subjects, backend, options.running, options.work, run);
  run.progress().clear();
  if (!options.running.quiet) print_bench(run.data().bench);
  return run.finish();
}

}  // namespace

RunVerb add_bench(Arguments& arguments) {
  auto options = std::make_shared<BenchVerbOptions>();
  add_backend(arguments, options->selection);
  arguments.option("--module", options->selection.module, "time the kernel module at this path instead");
  arguments.option("--op", options->selection.op, "only this operation");
  arguments.option("--variant", options->selection.variant, "only this variant");
  arguments.option("--dtype", options->selection.dtype, "only this storage type (with --shape: default bf16 and f32)");
  arguments.option("--shape", options->shapes, "ROWSxCOLS instead of the default shapes (may be repeated)");
  arguments.option("--options", options->options, "of the cases, as in case lines: 'smoothing=0.1 z_loss=1e-4'");
  arguments.option("--repeats", options->work.repeats, "launches after timing whose results must have the same bits", {.refuse = refuse_outside<1, 100000>, .shows_default = true});
  arguments.flag("--loaded", options->work.loaded, "time each launch right behind matrix products that hold the clock down, as in a training step");
  arguments.option("--seed", options->running.seed, "of the logits", {.refuse = refuse_seed, .shows_default = true});
  add_running(arguments, options->running);
  return [options](const Invocation& invocation) { return bench(*options, invocation); };
}

}  // namespace plusmax::cli
