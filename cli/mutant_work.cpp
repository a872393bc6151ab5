#include "cli/mutant_work.hpp"

#include "cli/check_work.hpp"
#include "cli/check_plan.hpp"
#include "cli/pool.hpp"
#include "cli/replayed.hpp"
#include "properties/kill.hpp"
#include "properties/operation.hpp"
#include "reports/record_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace plusmax::cli {
namespace {

using properties::Mutant;
using properties::MutantResult;
using properties::Record;

MutantResult result_of(const Mutant& mutant, const Death& death) {
  MutantResult result;
  result.name = mutant.name, result.op = mutant.op, result.why = mutant.why, result.sources = mutant.sources;
  result.killed_by = mutant.killed_by;
  result.killed = mutant.must_crash && death.kind == Death::crashed;  // a crash is no kill unless the mutant's file says so
  if (result.killed) result.kills = {mutant.killed_by};
  result.has_margin = false;
  result.detail = (death.kind == Death::crashed ? "the process ended with " : "") + death.what;
  return result;
}

bool names(const Mutant& mutant, const std::string& variant) {
  return mutant.variants.empty() || std::find(mutant.variants.begin(), mutant.variants.end(), variant) != mutant.variants.end();
}

// Production code on what the mutants run: their cases on their variants, each check once.
Plan production_plan(const std::vector<const Mutant*>& mutants, const Backend& backend) {
  PlanRequest request;
  request.profile = properties::Profile::smoke;
  request.selection.checks = {"oracle"};
  Plan plan = make_plan(request, backend);
  plan.set_aside.clear();
  std::map<std::string, std::size_t> place;  // of each case in the plan
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> planned;  // the group of a case and a subject
  for (const Mutant* mutant : mutants)
    for (const auto& [of, checks] : properties::cases_of(*mutant, backend.module->device->backend())) {
      const auto [found, fresh] = place.try_emplace(properties::to_line(of), plan.cases.size());
      if (fresh) plan.cases.push_back({of, "", "mutants", {}});
      for (std::size_t subject = 0; subject < plan.subjects.size(); ++subject) {
        const properties::Subject& under_test = plan.subjects[subject];
        if (under_test.op != of.op || !under_test.has(of.dtype) || !names(*mutant, under_test.variant)) continue;
        const auto [group, first] = planned.try_emplace({found->second, subject}, plan.groups.size());
        if (first) plan.groups.push_back({found->second, subject, {}});
        auto& all = plan.groups[group->second].checks;
        for (const properties::Check* check : checks)
          if (std::find(all.begin(), all.end(), check) == all.end()) all.push_back(check);
      }
    }
  return plan;
}

}  // namespace

ChosenMutants select_mutants(const Selection& selection, const Backend& backend) {
  ChosenMutants chosen;
  for (const Mutant& mutant : properties::all_mutants()) {
    if ((!selection.op.empty() && selection.op != mutant.op) || !selection.matches(mutant.name)) continue;
    (mutant.host_only && backend.name != "host" ? chosen.for_the_host : chosen.to_run).push_back(&mutant);
  }
  for (const Mutant* mutant : chosen.to_run)
    if (const std::string path = properties::mutant_module_path(*mutant, backend.name); !std::filesystem::exists(path))
      throw properties::UsageError(fmt::format("no module {} of mutant {}: build the mutants (PLUSMAX_MUTANTS=ON)", path, mutant->name));
  return chosen;
}

void run_mutants(const std::vector<const Mutant*>& mutants, const Backend& backend, const Running& running, Run& run) {
  const Plan production = production_plan(mutants, backend);
  run_plan(production, backend, running, run);
  run.progress().expect(production.units() + mutants.size());
  std::map<std::size_t, MutantResult> results;  // by place, so that the file does not depend on who was faster
  std::size_t next = 0;
  const auto complete = [&](std::size_t group, MutantResult result) {
    results.emplace(group, std::move(result));
    for (auto found = results.find(next); found != results.end(); found = results.find(++next)) {
      run.add(std::move(found->second));
      results.erase(found);
    }
  };
  PoolWork work;
  work.exists = [&](std::size_t group) { return group < mutants.size(); };
  work.units = [](std::size_t) { return std::size_t{1}; };
  work.done = [&](std::size_t group, std::size_t, const std::string& line) { complete(group, reports::mutant_from_json(line)); };
  work.died = [&](std::size_t group, std::size_t, const Death& death) { complete(group, result_of(*mutants[group], death)); };
  work.tick = [&] { run.progress().tick(); };
  work.stop = [&] { return run.must_stop(); };
  work.work = [&](std::size_t group, std::size_t, const Say&) { 
    const Mutant& mutant = *mutants[group];
    return reports::to_json(properties::run_mutant(mutant, *properties::load_module(properties::mutant_module_path(mutant, backend.name))));
  };
  // Module after module in one process would keep each other's state: every mutant gets a fresh one.
  work.broken = [] { return true; };
  run_pool(work, jobs_for(backend, running.jobs), running.timeout);
  for (auto& [group, result] : results) run.add(std::move(result));
}

}  // namespace plusmax::cli
