#include "reports/summary.hpp"

#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace plusmax::reports {
namespace {

using properties::MutantResult;
using properties::Outcome;
using properties::Record;

void add(Summary& s, const Record& record) {
  s.records += record.checks;
  s.outcomes[static_cast<std::size_t>(record.outcome)] += record.checks;
  s.escalations += record.escalations;
  s.uncertified += record.uncertified;
  if (record.outcome == Outcome::skipped) return;
  s.run += record.checks;
  s.compared += record.compared;
  s.logits += record.logits;
  // A NaN ratio counts as the worst there is.
  if (s.worst == nullptr || !(record.worst_ratio <= s.worst_ratio)) {
    if (s.worst != nullptr && std::isnan(s.worst_ratio)) return;
    s.worst_ratio = record.worst_ratio;
    s.worst = &record;
  }
}

void add(Summary& s, const MutantResult& mutant) {
  ++s.mutants;
  if (!mutant.killed) return;
  ++s.killed;
  if (mutant.has_margin && (s.weakest == nullptr || mutant.margin < s.weakest->margin)) s.weakest = &mutant;
}

bool separation_too_small(const Summary& s) { return s.separation && !(*s.separation >= kSmallestSeparation); }

}  // namespace

// Products of parts may be faster than those of the whole: beside its products no figure is too good.
bool is_refused(const properties::BenchResult& result) {
  return !result.verified || (result.ratio == 0 && !(result.share <= kLargestShare));
}

Summary summarize(const RunData& data) {
  Summary s;
  for (const Record& record : data.records)
    if (record.mutant.empty()) add(s, record);
  for (const MutantResult& mutant : data.mutants) add(s, mutant);
  if (s.weakest != nullptr && s.worst != nullptr && !(s.worst_ratio <= 0)) s.separation = s.weakest->margin / s.worst_ratio;
  for (const properties::BenchResult& result : data.bench) {
    ++s.bench;
    if (is_refused(result)) ++s.bench_refused;
  }
  s.interrupted = data.info.interrupted || !data.unrecorded.empty();
  s.unrecorded = data.unrecorded;
  return s;
}

ExitCode exit_code(const Summary& s) {
  if (s.count(Outcome::crashed) + s.count(Outcome::timeout) > 0) return kCrashedOrTimedOut;
  if (s.count(Outcome::failed) > 0) return kKernelFailed;
  if (s.count(Outcome::untrusted) > 0 || s.uncertified > 0 || s.killed < s.mutants || separation_too_small(s) ||
      s.bench_refused > 0)
    return kHarnessFailed;
  if (s.interrupted) return kHarnessFailed;  // what was not run cannot have passed
  if (s.run + s.mutants + s.bench > 0) return kAllPassed;
  return s.records > 0 ? kAllSkipped : kNothingSelected;
}

const char* verdict(const Summary& s) {
  switch (exit_code(s)) {
    case kAllPassed: return "PASSED";
    case kKernelFailed: return "FAILED";
    case kHarnessFailed: return s.interrupted ? "INTERRUPTED" : "UNTRUSTED";
    case kAllSkipped: return "SKIPPED";
    case kCrashedOrTimedOut: return "CRASHED";
    default: return "NOTHING RUN";
  }
}

std::string verdict_sentence(const Summary& s) {
  std::string text;
  const auto say = [&](std::uint64_t count, const char* one, const char* many) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), count == 1 ? one : many);
  };
  say(s.count(Outcome::crashed), "check crashed", "checks crashed");
  say(s.count(Outcome::timeout), "check timed out", "checks timed out");
  say(s.count(Outcome::failed), "check failed", "checks failed");
  say(s.count(Outcome::untrusted), "check could not have failed", "checks could not have failed");
  say(s.uncertified, "comparison undecided by the reference", "comparisons undecided by the reference");
  say(s.mutants - s.killed, "mutant survived", "mutants survived");
  if (separation_too_small(s)) text += fmt::format("{}separation {} is below {}", text.empty() ? "" : ", ", brief(*s.separation), kSmallestSeparation);
  say(s.bench_refused, "measurement refused", "measurements refused");
  if (text.empty()) {
    say(s.count(Outcome::passed), "check passed", "checks passed");
    say(s.killed, "mutant killed", "mutants killed");
    say(s.bench, "measurement verified", "measurements verified");
    say(s.count(Outcome::skipped), "skipped", "skipped");
  }
  if (text.empty()) text = "no check was selected";
  if (!s.unrecorded.empty()) text += "; not everything was recorded: " + s.unrecorded;
  else if (s.interrupted) text += "; interrupted, so not everything was run";
  return text;
}

std::string shell_quoted(const std::string& word) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

namespace {

// What the run was told with --module; empty if nothing.
std::string module_of(const properties::RunInfo& info) {
  constexpr std::string_view option = "--module";
  for (std::size_t i = 0; i < info.argv.size(); ++i) {
    const std::string_view word = info.argv[i];
    if (word == option && i + 1 < info.argv.size()) return info.argv[i + 1];
    if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
      return std::string(word.substr(option.size() + 1));
  }
  return "";
}

// For --match: letters that mean something there lose it.
std::string literal(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string replay_command(const Record& record, const properties::RunInfo& info) {
  const std::string module = module_of(info);
  const std::string place = !module.empty()            ? " --module " + shell_quoted(module)
                            : record.backend == "cuda" ? " --backend cuda"
                                                       : "";
  // An answer that only a case file knows cannot be had from the line.
  if (!record.case_file.empty())
    return fmt::format("./plusmax check --cases {} --match {} --variant {} --check {}{} --out replayed",
                       shell_quoted(record.case_file),
                       shell_quoted(literal(record.check + " [" + record.case_id + "]")), record.variant, record.check,
                       place);
  std::string command = "./plusmax replay " + shell_quoted(record.case_line);
  if (!record.variant.empty()) command += " --variant " + record.variant;
  if (!record.check.empty()) command += " --check " + record.check;
  return command + place;
}

std::string repeat_command(const properties::RunInfo& info) {
  std::string command = "./plusmax";
  for (std::size_t i = 1; i < info.argv.size(); ++i) command += " " + shell_quoted(info.argv[i]);
  bool seeded = false;
  for (const std::string& word : info.argv) seeded |= word == "--seed" || word.starts_with("--seed=");
  const bool takes_seed = info.verb == "check" || info.verb == "fuzz" || info.verb == "bench";
  return seeded || !takes_seed ? command : command + fmt::format(" --seed {}", info.seed);
}

}  // namespace plusmax::reports
