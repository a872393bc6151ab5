// The fuzzer: explicit Cases, then stored failures, then generated ones, through run_check() on every variant; failures
// are shrunk, re-run and stored.
//
// Deterministic: Case k of seed S is a function of (S, k) and of the results of its own block of kFuzzBlock Cases, of
// which the last quarter are mutations of the block's champions (largest error/bound of a variant and dtype). So N workers
// that share out the blocks find together exactly what one finds; merge() puts their summaries together.
#pragma once

#include "properties/check.hpp"
#include "properties/gen/generate.hpp"
#include "properties/gen/shrink.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties::gen {

constexpr std::uint64_t kFuzzBlock = 64;
constexpr std::uint64_t kFreshInBlock = 48;

struct FuzzOptions {
  std::string op = "logsumexp";
  std::uint64_t seed = 0;
  double seconds = 60;          // 0: no limit
  std::uint64_t max_cases = 0;  // generated Cases of all workers together; 0: no limit
  std::string dtype, check;     // filters by name, empty: all. They never change a fresh Case
  CaseLimits limits;
  unsigned worker = 0, workers = 1;  // this call takes the blocks b with b % workers == worker
  std::vector<Case> explicit_cases;  // run first, with every check
  std::string failures_directory;    // replayed after them, and where new failures go; empty: neither
  ShrinkLimits shrink;
  std::uint64_t max_failures = 20;   // distinct ones, then it stops
  std::vector<std::string> known_failures;  // failure_key() of those that need not be shrunk and listed again
};

// Failures are distinct by this: "VARIANT DTYPE CHECK OUTCOME".
std::string failure_key(const Record&);

// The first by index stands for all with the same key.
struct FuzzFailure {
  std::uint64_t index = 0;     // k; explicit and stored Cases come before 0 and have kNotGenerated
  std::uint64_t repeats = 0;   // how many more failed the same way
  Case original, shrunk;
  Record original_record;      // of the original
  Record record;               // of the shrunk Case, run once more: what to report
  bool flaky = false;          // the shrunk Case passed when it was run again
  bool shrink_complete = false;
  std::string path;            // in the failure database, or empty
};
constexpr std::uint64_t kNotGenerated = ~std::uint64_t{0};

struct Champion {
  double ratio = -1;           // error / bound of `record`
  std::uint64_t index = 0;
  Case of;
  Record record;
};

struct FuzzSummary {
  std::uint64_t cases = 0;     // Cases of which at least one check ran
  std::uint64_t records = 0;   // checks run; `skipped` ones are not counted and give no record
  std::uint64_t skipped = 0;
  std::uint64_t logits = 0;    // rows * cols over all records
  std::vector<FuzzFailure> failures;
  std::map<std::pair<std::string, std::string>, Champion> champions;  // by (variant, dtype), of check "oracle"
  std::string stopped_why;     // "60 s are over", "1000 cases are done", "stopped by the caller", "20 distinct failures"
  bool interrupted = false;    // should_stop() said so
  double seconds = 0;

  const Champion* worst() const;  // nullptr if check "oracle" never ran
};

// Order of the arguments does not matter; seconds are the longer ones.
FuzzSummary merge(const FuzzSummary&, const FuzzSummary&);

struct FuzzCallbacks {
  // Just before each check, shrinking included: what to blame if this process does not survive it. `k` may be kNotGenerated.
  std::function<void(std::uint64_t k, const Case&, const Check&, const Subject&)> before_check;
  // Whether to leave this check out, as one that an earlier process did not survive. Asked before before_check.
  std::function<bool(const Case&, const Check&, const Subject&)> leaves_out;
  std::function<void(const Record&)> on_record;    // every check that ran, source "fuzz"; shrinking gives none
  std::function<void(const FuzzFailure&)> on_failure;
  std::function<bool()> should_stop;               // asked between checks
};

// Throws UsageError: no subjects, unknown dtype or check, no limit at all, bad limits, an unreadable failure database.
FuzzSummary fuzz(const FuzzOptions&, std::span<const Subject>, const FuzzCallbacks& = {});

// The same in pieces, for callers that hand out blocks to processes of their own. Options about workers, explicit Cases and
// the number of Cases are not looked at; merge() puts the answers together.
FuzzSummary fuzz_block(const FuzzOptions&, std::span<const Subject>, std::uint64_t block, const FuzzCallbacks& = {});
FuzzSummary fuzz_cases(const FuzzOptions&, std::span<const Subject>, std::span<const Case>, const FuzzCallbacks& = {});  // every check

// False for checks of the harness itself, which hold at the Cases that are chosen for them and not at every one. The fuzzer
// runs such a check only if the filter names it.
bool holds_everywhere(const Check&);

// Case k as worker-independent fresh generation gives it (the first kFreshInBlock of each block).
Case fuzz_case(std::string_view op, std::uint64_t seed, std::uint64_t k, const CaseLimits&);

}  // namespace plusmax::properties::gen
