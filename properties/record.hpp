// What one check of one variant on one case found. Plain data: all that reports/ sees of the harness.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace plusmax::properties {

enum class Outcome { passed, failed, skipped, untrusted, crashed, timeout };

// One point of a figure: how many ulps a result is off where its condition is `x`, and what the textbook formula would be.
struct AccuracyPoint {
  std::string result;  // "loss", "gradient of the label"
  double x = 0;        // 1 - p of the label
  double ulps = 0, textbook_ulps = 0;
};

struct Record {
  std::string op, variant, dtype, backend;
  std::string check;         // "oracle"
  std::string mutant;        // empty for production code
  std::string case_line;     // replayable
  std::string case_id;       // "B13" of a case file, else empty
  std::string source;        // "profile", "cases", "file", "fuzz", "replay", "mutants"
  std::string case_file;     // whose answer the check compares, if only that file knows it; else empty
  std::uint64_t checks = 1;  // how many passed checks it stands for: the sum of their counts, the worst of their results
  std::int64_t rows = 0, cols = 0;
  std::uint64_t seed = 0;

  Outcome outcome = Outcome::untrusted;
  std::string reason;        // one line with the values; empty if passed

  std::uint64_t compared = 0;      // results compared
  std::uint64_t logits = 0;        // logits those results depend on
  double worst_ratio = 0;          // largest error / bound; infinite for a class mismatch
  double worst_probabilistic = 0;  // largest error / probabilistic bound (warning above 1)
  double sum_ratio = 0;            // largest error of the sum alone / its bound
  std::int64_t worst_row = -1;
  double got = 0, want = 0, error = 0, bound = 0;  // at worst_row
  double worst_ulps = 0;           // largest |error| in ulps of the result type
  std::map<int, std::uint64_t> ulp_histogram;  // signed bins: 0 is |e| < 1/4; +-k is [2^(k-3), 2^(k-2)) ulps
  std::uint64_t gradients = 0;     // gradient elements compared
  std::uint64_t flushed = 0;       // of those: 0 where the exact value is not
  double worst_gradient_ulps = 0;  // in ulps of the type that they are stored in
  std::vector<AccuracyPoint> accuracy;
  std::uint64_t escalations = 0;   // comparisons that needed the oracle
  std::uint64_t uncertified = 0;   // that stayed undecided even so
  double seconds = 0;
};

struct MutantResult {
  std::string name, op, why;
  std::vector<std::string> sources;
  std::string killed_by;          // the check its file names
  std::vector<std::string> kills; // every check that killed it
  bool killed = false;            // by the check its file names
  bool has_margin = true;         // false: killed by guard, race, repeat or an exact check; stays out of separation
  double margin = 0;              // largest error / bound over its cases
  std::string case_line, variant, dtype, detail;  // of the kill
};

// One result of a timed launch against the certified reference.
struct BenchError {
  std::string result;        // "dweight"
  std::uint64_t judged = 0;  // numbers
  double worst_ratio = 0;    // largest error / bound
  double rms = 0;            // root of the sum of squared errors over that of squared values
  double rms_bound = 0;      // the same of the bounds: from 1 on they say little
};

struct BenchResult {
  std::string op, variant, dtype, device, case_line;
  std::int64_t rows = 0, cols = 0;
  double bytes = 0;
  std::uint64_t workspace_bytes = 0;
  double median_us = 0, p10_us = 0, p90_us = 0, cold_median_us = 0;
  std::string ceiling;            // "read", "copy", "in-place copy"
  std::string load;               // what the device did right before each sample: nothing (empty), "matrix products"
  double ceiling_us = 0;          // same bytes, same run
  double share = 0;               // ceiling_us / median_us
  bool verified = false;          // results re-checked after timing
  std::string note;
  // Measured in rounds with its ceiling: medians over rounds, the ratio that of times of the same round. 0: not measured.
  double ratio = 0, rested_us = 0, rested_ceiling_us = 0, rested_ratio = 0;
  std::uint64_t taken_bytes = 0;  // by which the device's free memory fell with plan and workspace, during a call
  std::vector<BenchError> errors;
  std::string sample;             // what these are of
};

struct RunInfo {
  std::vector<std::string> argv;
  std::uint64_t seed = 0;
  std::string verb, profile, version, git, toolchain, device, backend, reference, started;
  double seconds = 0;
  bool interrupted = false;
};

}  // namespace plusmax::properties
