#include "properties/kill.hpp"

#include "properties/operation.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace plusmax::properties {
namespace {

bool named(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool is_fault(const Record& record) { return record.outcome == Outcome::failed && record.reason.starts_with(kFaultPrefix); }
// The race detector's words: an unordered access, or a read of shared memory that nobody wrote yet.
bool is_race(const Record& record) {
  return is_fault(record) && (record.reason.find("race: ") != std::string::npos || record.reason.find("uninitialised: ") != std::string::npos);
}

// A check that finds the harness blunt says untrusted: that is how a planted blunt bound dies.
bool kills(const Mutant& mutant, const Record& record) {
  return record.outcome == Outcome::failed || (record.outcome == Outcome::untrusted && record.check == mutant.killed_by);
}

// The kill that the file asks for: by its check, and where that is promised by a race or a fault.
bool is_the_kill(const Mutant& mutant, const Record& record, bool detects_races) {
  if (record.check != mutant.killed_by || !kills(mutant, record)) return false;
  if (mutant.race && detects_races) return is_race(record);
  return !mutant.must_crash || is_fault(record);
}

double measured_ratio(const Record& record) {
  const Check* check = find_check(record.op, record.check);
  return check && check->has_margin && !is_fault(record) ? record.worst_ratio : 0;
}

std::vector<const Check*> named_first(const Mutant& mutant) {
  const auto checks = checks_of(mutant.op);
  std::vector<const Check*> order(checks.begin(), checks.end());
  std::stable_partition(order.begin(), order.end(), [&](const Check* check) { return check->name == mutant.killed_by; });
  return order;
}

}  // namespace

std::vector<MutantCase> cases_of(const Mutant& mutant, std::string_view backend) {
  std::vector<MutantCase> cases;
  const auto add = [&](const std::string& line, const std::vector<const Check*>& checks) {
    const Case given = parse_case(line);
    if (mutant.dtypes.empty()) cases.push_back({given, checks});
    for (const std::string& name : mutant.dtypes) {
      const auto dtype = reference::dtype_from(name);
      if (!dtype) throw UsageError(fmt::format("mutant {}: no dtype {}: use f32, f16, bf16 or f64", mutant.name, name));
      Case of = given;
      of.dtype = *dtype;
      cases.push_back({parse_case(to_line(of)), checks});
    }
  };
  const std::vector<const Check*> checks = named_first(mutant);
  for (const std::string& line : mutant.cases) add(line, checks);
  if (backend == "host") return cases;
  for (const std::string& line : mutant.gpu_cases) add(line, {checks.front()});
  return cases;
}

std::vector<Record> run_mutant_cases(const Mutant& mutant, const Module& module) {
  std::vector<Record> records;
  for (Subject& subject : subjects_of(module, mutant.op, "")) {
    if (!named(mutant.variants, subject.variant)) continue;
    subject.mutant = &module == host_module() ? "" : mutant.name;
    for (const MutantCase& each : cases_of(mutant, module.device->backend()))
      for (const Check* check : each.checks) {
        records.push_back(run_check(*check, each.of, subject));
        records.back().source = "mutants";
      }
  }
  return records;
}

MutantResult judge_mutant(const Mutant& mutant, std::span<const Record> records, bool detects_races) {
  MutantResult result;
  result.name = mutant.name;
  result.op = mutant.op;
  result.why = mutant.why;
  result.sources = mutant.sources;
  result.killed_by = mutant.killed_by;
  result.margin = largest_ratio(records);
  const Check* check = find_check(mutant.op, mutant.killed_by);
  // Killed by a fault or by an exact check: its errors, if it has any, say nothing about the bound.
  result.has_margin = check && check->has_margin && result.margin > 0;
  bool measured = false;
  for (const Record& record : records) {
    if (kills(mutant, record) && std::find(result.kills.begin(), result.kills.end(), record.check) == result.kills.end())
      result.kills.push_back(record.check);
    if (!is_the_kill(mutant, record, detects_races)) continue;
    measured = measured || measured_ratio(record) > 1;
    if (result.killed) continue;
    result.killed = true;
    result.case_line = record.case_line;
    result.variant = record.variant;
    result.dtype = record.dtype;
    result.detail = record.reason;
  }
  result.has_margin = result.has_margin && measured;
  if (!result.killed) result.detail = check ? "survived the check that its file names" : "its file names an unknown check";
  return result;
}

MutantResult run_mutant(const Mutant& mutant, const Module& module) {
  return judge_mutant(mutant, run_mutant_cases(mutant, module), module.device->detects_races());
}

double largest_ratio(std::span<const Record> records) {
  double largest = 0;
  for (const Record& record : records) largest = std::max(largest, measured_ratio(record));
  return largest;
}

double separation(double worst_production_ratio, std::span<const MutantResult> results) {
  double least = std::numeric_limits<double>::infinity();
  bool any = false;
  for (const MutantResult& result : results) {
    if (!result.has_margin) continue;
    any = true;
    least = std::min(least, result.margin);
  }
  return any && worst_production_ratio > 0 ? least / worst_production_ratio : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace plusmax::properties
