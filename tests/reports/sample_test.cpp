// The sample of the other tests, and that it is what it says.
#include "tests/reports/sample.hpp"

#include "reports/summary.hpp"
#include "tests/catch.hpp"

#include <limits>

namespace plusmax::reports::testing {

using properties::BenchResult;
using properties::MutantResult;
using properties::Outcome;
using properties::Record;

Record passed_record() {
  Record r;
  r.op = "logsumexp", r.variant = "warp_per_row", r.dtype = "f32", r.backend = "host", r.check = "oracle";
  r.case_line = "logsumexp f32 rows=2 cols=1031 fill=plateau seed=7";
  r.source = "profile", r.rows = 2, r.cols = 1031, r.seed = 7;
  r.outcome = Outcome::passed;
  r.compared = 2, r.logits = 2062;
  r.worst_ratio = 0.25, r.worst_probabilistic = 0.5, r.sum_ratio = 0.125, r.worst_row = 1;
  r.got = 0x1.8p+1, r.want = 0x1.8000000000001p+1, r.error = 0x1p-51, r.bound = 0x1p-49, r.worst_ulps = 0.3;
  r.ulp_histogram = {{-1, 1}, {0, 5}, {2, 3}};
  r.seconds = 0.5;
  return r;
}

Record failed_record() {
  Record r = passed_record();
  r.variant = "block_per_row", r.dtype = "bf16", r.case_id = "B13";
  r.case_line = "logsumexp bf16 rows=2 cols=2 data=[[1,2],[-inf,-inf]]";
  r.outcome = Outcome::failed;
  r.reason = "row 1: got nan, want -inf; \"class\" <mismatch> & 'more'";
  r.worst_ratio = std::numeric_limits<double>::infinity();
  r.got = std::numeric_limits<double>::quiet_NaN(), r.want = -std::numeric_limits<double>::infinity();
  r.error = std::numeric_limits<double>::infinity();
  return r;
}

MutantResult killed_mutant() {
  MutantResult m;
  m.name = "missing_max", m.op = "logsumexp", m.why = "the maximum is subtracted and never added back";
  m.sources = {"a public report"};
  m.killed_by = "oracle", m.kills = {"oracle", "shift"}, m.killed = true, m.margin = 1000;
  m.case_line = "logsumexp f32 rows=1 cols=8", m.variant = "warp_per_row", m.dtype = "f32", m.detail = "row 0";
  return m;
}

MutantResult survived_mutant() {
  MutantResult m = killed_mutant();
  m.name = "missing_barrier", m.killed = false, m.kills = {}, m.killed_by = "repeat", m.has_margin = false, m.detail = "passed on 3 cases";
  return m;
}

BenchResult bench_result() {
  BenchResult b;
  b.op = "logsumexp", b.variant = "block_per_row", b.dtype = "bf16", b.device = "a device";
  b.case_line = "logsumexp bf16 rows=64 cols=4096", b.rows = 64, b.cols = 4096, b.bytes = 524288 + 256;
  b.median_us = 10, b.p10_us = 9.5, b.p90_us = 11, b.cold_median_us = 12, b.ceiling = "read", b.ceiling_us = 9, b.share = 0.9, b.verified = true;
  return b;
}

BenchResult bench_result_beside_products() {
  BenchResult b = bench_result();
  b.op = "linear_cross_entropy", b.variant = "token_chunks", b.case_line = "linear_cross_entropy bf16 rows=64 cols=4096";
  b.ceiling = "3 products", b.ratio = 0.8, b.share = 1.25, b.cold_median_us = 0;
  b.rested_us = 8, b.rested_ceiling_us = 7, b.rested_ratio = 1.14, b.workspace_bytes = 4096, b.taken_bytes = 5000;
  b.errors = {{"loss", 64, 0.5, 1e-7, 2e-6}, {"dweight", 2048, 0.25, 2e-3, 8e-3}};
  b.sample = "of all tokens; seed 1";
  return b;
}

namespace {

RunData base() {
  RunData data;
  data.info.argv = {"plusmax", "check", "--match", "a b"};
  data.info.seed = 42, data.info.verb = "check", data.info.profile = "smoke", data.info.version = "0.1.0", data.info.git = "0123456789ab";
  data.info.toolchain = "GCC", data.info.device = "host SIMT", data.info.backend = "host", data.info.reference = "double-double (portable), oracle mpfr";
  data.info.started = "2026-01-01 00:00:00 UTC", data.info.seconds = 61;
  data.checks = {{"logsumexp", "oracle", "each result lies within its bound", true}, {"logsumexp", "repeat", "run twice, same bits", false}, {"logsumexp", "shift", "x + c shifts the result", true}};
  return data;
}

}  // namespace

RunData good_run() {
  RunData data = base();
  data.records = {passed_record()};
  data.mutants = {killed_mutant()};
  data.bench = {bench_result()};
  return data;
}

RunData bad_run() {
  RunData data = base();
  data.records = {passed_record(), failed_record()};
  for (const Outcome outcome : {Outcome::skipped, Outcome::untrusted, Outcome::crashed, Outcome::timeout}) {
    Record r = passed_record();
    r.outcome = outcome;
    r.reason = outcome == Outcome::skipped ? "cols 1031 > 1024" : "the process ended with SIGSEGV (Segmentation fault)";
    data.records.push_back(r);
  }
  data.mutants = {killed_mutant(), survived_mutant()};
  data.bench = {bench_result()};
  data.bench[0].share = 1.5;
  return data;
}

}  // namespace plusmax::reports::testing

TEST_CASE("the sample runs have the exit codes that their names promise", "[reports][sample]") {
  using namespace plusmax::reports;
  const RunData good = testing::good_run(), bad = testing::bad_run();
  CHECK(exit_code(summarize(good)) == kAllPassed);
  CHECK(exit_code(summarize(bad)) == kCrashedOrTimedOut);
}
