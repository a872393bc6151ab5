// The numbers of the first screen, and the exit code that follows from them.
#pragma once

#include "reports/run_data.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plusmax::reports {

// Exit codes of every verb, and why.
enum ExitCode {
  kAllPassed = 0,
  kKernelFailed = 1,
  kUsage = 2,
  kHarnessFailed = 3,     // a mutant survived, separation too small, a result untrusted or uncertified
  kAllSkipped = 4,
  kNothingSelected = 5,
  kCrashedOrTimedOut = 6,
  kInternal = 70,
};

inline constexpr double kSmallestSeparation = 10;
inline constexpr double kLargestShare = 1.05;  // of a ceiling of the same run; above it the clock or the work is wrong

struct Summary {
  std::array<std::uint64_t, 6> outcomes{};  // of production records, by properties::Outcome
  std::uint64_t records = 0, run = 0;       // run: not skipped
  std::uint64_t compared = 0, logits = 0, escalations = 0, uncertified = 0;
  double worst_ratio = 0;                   // largest error / bound of production records
  const properties::Record* worst = nullptr;

  std::uint64_t mutants = 0, killed = 0;
  const properties::MutantResult* weakest = nullptr;  // killed with the smallest margin
  std::optional<double> separation;                   // weakest margin / worst_ratio; unset if either is not known

  std::uint64_t bench = 0, bench_refused = 0;         // not verified, or faster than memory allows
  bool interrupted = false;                           // not whole: stopped, killed, or with records that were not written
  std::string unrecorded;                             // why they were not written

  std::uint64_t count(properties::Outcome outcome) const { return outcomes[static_cast<std::size_t>(outcome)]; }
};

// Not verified, or faster than memory allows.
bool is_refused(const properties::BenchResult& result);

// Points into `data`.
Summary summarize(const RunData& data);

// Of what was measured; the first that applies: crashed (6), failed (1), harness (3), all skipped (4), nothing (5), passed (0).
ExitCode exit_code(const Summary& summary);
const char* verdict(const Summary& summary);          // "PASSED", "FAILED", "UNTRUSTED", "SKIPPED", "NOTHING RUN", "CRASHED", "INTERRUPTED"
std::string verdict_sentence(const Summary& summary); // why, with the numbers

// "./plusmax replay 'LINE' --variant V --check C", quoted for a shell; `check --cases` where the line alone does not
// say it.
// `info` is of the run: a foreign module is named again.
std::string replay_command(const properties::Record& record, const properties::RunInfo& info = {});
// The command line of the run, quoted for a shell.
std::string repeat_command(const properties::RunInfo& info);
std::string shell_quoted(const std::string& word);

}  // namespace plusmax::reports
