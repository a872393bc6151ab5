// bench: time and bandwidth of each variant, as shares of a ceiling measured in the same process; results are checked again
// after timing, and a figure faster than memory allows is refused.
#include "cli/bench_work.hpp"
#include "cli/suggest.hpp"
#include "cli/verbs.hpp"
#include "properties/case.hpp"
#include "reference/dtype.hpp"
#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <memory>

namespace plusmax::cli {
namespace {

constexpr const char* kOperation = "logsumexp";  // that has a bed and ceilings

struct BenchVerbOptions {
  Selection selection;
  Running running;
  std::vector<std::string> shapes;
  BenchWork work;
};

std::vector<BenchShape> chosen_shapes(const BenchVerbOptions& options, const Backend& backend) {
  std::vector<BenchShape> shapes;
  if (options.shapes.empty()) {
    for (const BenchShape& shape : default_shapes(backend.name))
      if (options.selection.dtype.empty() || options.selection.dtype == reference::name_of(shape.dtype)) shapes.push_back(shape);
    return shapes;
  }
  for (const std::string& text : options.shapes)
    for (const std::string& dtype : options.selection.dtype.empty() ? std::vector<std::string>{"bf16", "f32"} : std::vector{options.selection.dtype})
      shapes.push_back(parse_shape(text, *reference::dtype_from(dtype)));
  return shapes;
}

void print_table(const std::vector<properties::BenchResult>& results) {
  using reports::brief;
  fmt::print("{:>20} {:5} {:14} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}  {}\n", "shape", "dtype", "variant", "median us", "p10", "p90", "cold", "GB/s", "of read", "results");
  for (const properties::BenchResult& b : results)
    fmt::print("{:>20} {:5} {:14} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8}  {}\n", fmt::format("{} x {}", b.rows, b.cols), b.dtype, b.variant, brief(b.median_us, 4),
               brief(b.p10_us, 4), brief(b.p90_us, 4), brief(b.cold_median_us, 4), brief(b.bytes / b.median_us / 1e3, 4), reports::percent(b.share),
               b.note.empty() ? "verified" : b.note);
}

int bench(BenchVerbOptions options, const Invocation& invocation) {
  options.selection.validate();
  if (!options.selection.op.empty() && options.selection.op != kOperation)
    throw properties::UsageError(fmt::format("bench times {} only: leave --op {} out", kOperation, options.selection.op));
  options.selection.op = kOperation;
  const Backend backend = choose_backend(options.selection);
  if (backend.module->bench == nullptr) throw properties::UsageError(fmt::format("the {} module cannot measure time", backend.name));
  if (options.work.loaded && std::string_view(backend.module->device->backend()) == "host") throw properties::UsageError(fmt::format("--loaded needs --backend cuda; the {} backend has no matrix products", backend.name));
  const std::vector<properties::Subject> subjects = select_subjects(backend, options.selection);
  const std::vector<BenchShape> shapes = chosen_shapes(options, backend);
  if (shapes.empty()) {
    fmt::print(stderr, "plusmax: no default shape has dtype {}; name one with --shape ROWSxCOLS\n", options.selection.dtype);
    return reports::kNothingSelected;
  }
  Run run(invocation, options.running, "bench", "", backend);
  run_bench(shapes, subjects, backend, options.running, options.work, run);
  run.progress().clear();
  if (!options.running.quiet) print_table(run.data().bench);
  return run.finish();
}

}  // namespace

RunVerb add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchVerbOptions>();
  add_backend(app, options->selection);
  app.add_option("--module", options->selection.module, "time the kernel module at this path instead");
  app.add_option("--op", options->selection.op, "only this operation");
  app.add_option("--variant", options->selection.variant, "only this variant");
  app.add_option("--dtype", options->selection.dtype, "only this storage type (with --shape: default bf16 and f32)");
  app.add_option("--shape", options->shapes, "ROWSxCOLS instead of the default shapes (may be repeated)");
  app.add_option("--repeats", options->work.repeats, "launches after timing whose results must have the same bits")->capture_default_str()->check(CLI::Range(1, 100000));
  app.add_flag("--loaded", options->work.loaded, "time each launch right behind matrix products that hold the clock down, as in a training step");
  app.add_option("--seed", options->running.seed, "of the logits")->check(refuse_seed)->capture_default_str();
  add_running(app, options->running);
  return [options](const Invocation& invocation) { return bench(*options, invocation); };
}

}  // namespace plusmax::cli
