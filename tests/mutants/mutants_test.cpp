// Every planted mistake dies by the check that its file names, and no check dies of production code on the same cases.
#include "properties/kill.hpp"
#include "properties/operation.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

using namespace plusmax;
using namespace plusmax::properties;

namespace {

struct Outcomes {
  std::vector<MutantResult> results;
  double worst_production = 0;
};

std::string text(const MutantResult& result) {
  std::string line = result.name + ": killed-by " + result.killed_by + (result.killed ? " (killed)" : " (SURVIVED)") + ", kills:";
  for (const std::string& kill : result.kills) line += " " + kill;
  return line + ", margin " + (result.has_margin ? std::to_string(result.margin) : "none") + ", " + result.detail;
}

}  // namespace

TEST_CASE("mutants: there are enough of each operation, and each file is usable", "[mutants]") {
  const auto& mutants = all_mutants();
  const auto count = [&](std::string_view op) {
    return std::count_if(mutants.begin(), mutants.end(), [&](const Mutant& m) { return m.op == op; });
  };
  CHECK(count("logsumexp") >= 24);
  CHECK(count("cross_entropy") >= 50);
  CHECK(count("linear_cross_entropy") >= 50);
  for (const Mutant& mutant : mutants) {
    CAPTURE(mutant.name);
    CHECK(find_check(mutant.op, mutant.killed_by) != nullptr);
    CHECK(mutant.why.size() > 20);
    CHECK(mutant.cases.size() >= 1);
    CHECK(mutant.cases.size() <= 3);
    CHECK(mutant.gpu_cases.size() <= 3);
    CHECK((!mutant.host_only || mutant.gpu_cases.empty()));  // cases that nobody would run
    CHECK(cases_of(mutant, "cuda").size() >= cases_of(mutant, "host").size());
    for (const auto& lines : {mutant.cases, mutant.gpu_cases})
      for (const std::string& line : lines) CHECK(parse_case(to_line(parse_case(line))) == parse_case(line));
    for (const std::string& variant : mutant.variants) CHECK(subjects_of(*host_module(), mutant.op, variant).size() == 1);
  }
}

TEST_CASE("mutants: every check has a mutant that only it has to kill", "[mutants]") {
  std::set<std::pair<std::string, std::string>> named;
  for (const Mutant& mutant : all_mutants()) named.emplace(mutant.op, mutant.killed_by);
  for (const Operation* operation : operations::all())
    for (const Check* check : operation->checks()) {
      CAPTURE(operation->name, check->name);
      CHECK(named.count({operation->name, check->name}) == 1);
    }
}

TEST_CASE("mutants: the named check is the first on a case, and the only one on what devices alone run", "[mutants]") {
  const Mutant& mutant = all_mutants().front();
  CHECK(run_mutant_cases(mutant, *host_module()).front().check == mutant.killed_by);
  for (const Mutant& each : all_mutants()) {
    CAPTURE(each.name);
    const std::size_t small = cases_of(each, "host").size();
    const std::vector<MutantCase> all = cases_of(each, "cuda");
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].checks.front()->name == each.killed_by);
      CHECK(all[i].checks.size() == (i < small ? checks_of(each.op).size() : 1));
    }
  }
}

TEST_CASE("mutants: production code passes every check on the cases of every mutant", "[mutants]") {
  for (const Mutant& mutant : all_mutants())
    for (const Record& record : run_mutant_cases(mutant, *host_module())) {
      CAPTURE(mutant.name, record.check, record.variant, record.case_line, record.reason);
      CHECK((record.outcome == Outcome::passed || record.outcome == Outcome::skipped));
      CHECK(record.worst_ratio <= 1);
    }
}

#if PLUSMAX_HAS_MUTANTS
TEST_CASE("mutants: each is killed by the check that its file names, ten times clear of production code", "[mutants]") {
  Outcomes outcomes;
  for (const Mutant& mutant : all_mutants()) {
    const std::string path = mutant_module_path(mutant, "host");
    INFO("build the target plusmax_mutants: " << path);
    REQUIRE(std::filesystem::exists(path));
    const Module* module = load_module(path);
    REQUIRE(module != host_module());
    outcomes.results.push_back(run_mutant(mutant, *module));
    INFO(text(outcomes.results.back()));
    CHECK(outcomes.results.back().killed);
    outcomes.worst_production = std::max(outcomes.worst_production, largest_ratio(run_mutant_cases(mutant, *host_module())));
  }
  std::string all;
  for (const MutantResult& result : outcomes.results) all += text(result) + "\n";
  INFO(all << "production: " << outcomes.worst_production);
  CHECK(separation(outcomes.worst_production, outcomes.results) >= 10);
}
#endif

TEST_CASE("mutants: separation is the least margin over the worst production ratio, and needs both", "[mutants]") {
  MutantResult near, far, exact;
  near.margin = 30;
  far.margin = 1e6;
  exact.margin = 2;
  exact.has_margin = false;
  const std::vector<MutantResult> results{far, exact, near};
  CHECK(separation(0.5, results) == 60);
  CHECK(std::isnan(separation(0, results)));
  CHECK(std::isnan(separation(0.5, std::vector<MutantResult>{exact})));
}

TEST_CASE("mutants: only the check that the file names decides whether a mutant is killed", "[mutants]") {
  Mutant mutant;
  mutant.name = "example";
  mutant.op = "logsumexp";
  mutant.killed_by = "oracle";
  Record record;
  record.op = mutant.op;
  record.check = "range";
  record.outcome = Outcome::failed;
  CHECK_FALSE(judge_mutant(mutant, std::vector<Record>{record}, false).killed);
  CHECK(judge_mutant(mutant, std::vector<Record>{record}, false).kills == std::vector<std::string>{"range"});
  record.check = "oracle";
  record.worst_ratio = 50;
  const MutantResult killed = judge_mutant(mutant, std::vector<Record>{record}, false);
  CHECK(killed.killed);
  CHECK(killed.has_margin);
  CHECK(killed.margin == 50);
  record.outcome = Outcome::passed;
  CHECK_FALSE(judge_mutant(mutant, std::vector<Record>{record}, false).killed);
}

TEST_CASE("mutants: a race must be seen as a race where races are detected, and a fault has no margin", "[mutants]") {
  Mutant mutant;
  mutant.name = "example";
  mutant.op = "logsumexp";
  mutant.killed_by = "oracle";
  mutant.race = true;
  Record record;
  record.op = mutant.op;
  record.check = "oracle";
  record.outcome = Outcome::failed;
  record.reason = "row 0: got 1, want 2";
  record.worst_ratio = 50;
  CHECK(judge_mutant(mutant, std::vector<Record>{record}, false).killed);
  CHECK_FALSE(judge_mutant(mutant, std::vector<Record>{record}, true).killed);
  record.reason = kFaultPrefix;
  record.reason += "race: write after read on scratch";
  const MutantResult result = judge_mutant(mutant, std::vector<Record>{record}, true);
  CHECK(result.killed);
  CHECK_FALSE(result.has_margin);
}
