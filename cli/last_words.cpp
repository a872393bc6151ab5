#include "cli/last_words.hpp"

#include "cli/progress.hpp"
#include "reports/numbers.hpp"
#include "reports/record_json.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <cstdio>

namespace plusmax::cli {
namespace {

using properties::Outcome;
using properties::Record;

bool is_finding(const Record& record) {
  return record.mutant.empty() && record.outcome != Outcome::passed && record.outcome != Outcome::skipped;
}

void print_findings(const reports::RunData& data) {
  std::size_t count = 0;
  for (const Record& record : data.records) {
    if (!is_finding(record) || ++count > kShownFailures) continue;
    fmt::print("{}: {} {}: {}\n  {}\n", reports::name_of(record.outcome), record.variant, record.check, record.reason,
               reports::replay_command(record, data.info));
  }
  if (count > kShownFailures) fmt::print("... and {} more, in records.jsonl and report.html\n", count - kShownFailures);
}

void print_survivors(const reports::RunData& data) {
  for (const properties::MutantResult& mutant : data.mutants)
    if (!mutant.killed) fmt::print("survived: {} was not killed by {}: {}\n", mutant.name, mutant.killed_by, mutant.detail);
}

}  // namespace

void print_last_words(const reports::RunData& data, const reports::Summary& s, const Running& running, bool written) {
  print_findings(data);
  print_survivors(data);
  if (running.quiet) return;
  const std::string verdict = reports::verdict(s);
  const bool good = reports::exit_code(s) == reports::kAllPassed;
  if (colours_wanted(1)) fmt::print(fg(good ? fmt::terminal_color::green : fmt::terminal_color::red) | fmt::emphasis::bold, "{}", verdict);
  else fmt::print("{}", verdict);
  fmt::print(": {}\n", reports::verdict_sentence(s));
  if (s.records > 0) {
    fmt::print("checks: {} run", s.run);
    for (const Outcome outcome : {Outcome::passed, Outcome::failed, Outcome::skipped, Outcome::untrusted, Outcome::crashed, Outcome::timeout})
      fmt::print(", {} {}", s.count(outcome), reports::name_of(outcome));
    fmt::print("; {} results compared, {} decided by the oracle\n", reports::grouped(s.compared), s.escalations);
  }
  if (s.worst != nullptr)
    fmt::print("worst error/bound: {}\n  {}\n", reports::brief(s.worst_ratio),
               reports::replay_command(*s.worst, data.info));
  if (s.mutants > 0) fmt::print("mutants: {} of {} killed by the check they name\n", s.killed, s.mutants);
  if (s.separation)
    fmt::print("separation: {} (weakest mutant {}: {} of its bound; worst production result: {})\n", reports::brief(*s.separation),
               s.weakest->name, reports::brief(s.weakest->margin), reports::brief(s.worst_ratio));
  fmt::print("seed {}, {}\n", data.info.seed, reports::duration(data.info.seconds));
  if (written) fmt::print("report: {}/report.html\n", running.out);
  std::fflush(stdout);
}

}  // namespace plusmax::cli
