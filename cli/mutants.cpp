// mutants: every planted mistake must be killed by the check that its file names, and far from its bound.
#include "cli/mutant_work.hpp"
#include "cli/verbs.hpp"
#include "properties/mutant.hpp"
#include "properties/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace plusmax::cli {
namespace {

struct MutantsOptions {
  Selection selection;
  Running running;
};

// Columns are numbered, their names stand above: names would make the table too wide for a terminal.
void print_matrix(const std::string& op, const std::vector<properties::MutantResult>& results) {
  const auto checks = properties::checks_of(op);
  for (std::size_t i = 0; i < checks.size(); ++i) fmt::print("{:>3} {}{}", i + 1, checks[i]->name, (i + 1) % 4 == 0 || i + 1 == checks.size() ? "\n" : "  ");
  fmt::print("{:30}", "mutant");
  for (std::size_t i = 0; i < checks.size(); ++i) fmt::print("{:>3}", i + 1);
  fmt::print("  margin\n");
  for (const properties::MutantResult& m : results) {
    if (m.op != op) continue;
    fmt::print("{:30}", m.name);
    for (const properties::Check* check : checks) {
      const bool kills = std::find(m.kills.begin(), m.kills.end(), check->name) != m.kills.end();
      fmt::print("{:>3}", m.killed_by == check->name ? (m.killed ? "#" : "!") : kills ? "x" : ".");
    }
    fmt::print("  {}\n", !m.killed ? "survived" : m.has_margin ? fmt::format("{:.3g}", m.margin) : "structural");
  }
  fmt::print("# killed by the check it names, x by another too, ! not killed by the check it names\n");
}

int mutants(const MutantsOptions& options, const Invocation& invocation) {
  options.selection.validate();
  const Backend backend = choose_backend(options.selection);
  const auto [chosen, for_the_host] = select_mutants(options.selection, backend);
  if (chosen.empty()) {
    if (for_the_host.empty())
      fmt::print(stderr, "plusmax: no mutant matches '{}'; `./plusmax list` names them all\n", options.selection.match);
    else
      fmt::print(stderr, "plusmax: every mutant that matches '{}' is for the host alone: use --backend host\n", options.selection.match);
    return reports::kNothingSelected;
  }
  if (!options.running.quiet)
    for (const properties::Mutant* mutant : for_the_host) fmt::print("left out: {}, for the host alone: a device shows it by chance, if at all\n", mutant->name);
  Run run(invocation, options.running, "mutants", "", backend);
  run_mutants(chosen, backend, options.running, run);
  run.progress().clear();
  const auto& results = run.data().mutants;
  for (const std::string& op : operation_names())
    if (!options.running.quiet && std::any_of(results.begin(), results.end(), [&](const auto& m) { return m.op == op; }))
      print_matrix(op, results);
  return run.finish();
}

}  // namespace

RunVerb add_mutants(Arguments& arguments) {
  auto options = std::make_shared<MutantsOptions>();
  add_backend(arguments, options->selection);
  arguments.option("--op", options->selection.op, "only mutants of this operation");
  arguments.option("--match", options->selection.match, "only mutants in whose name this expression is found");
  add_running(arguments, options->running);
  return [options](const Invocation& invocation) { return mutants(*options, invocation); };
}

}  // namespace plusmax::cli
