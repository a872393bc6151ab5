#include "reports/summary.hpp"

#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

#include <limits>

using namespace plusmax::reports;
using plusmax::properties::Outcome;
using plusmax::properties::Record;

namespace {

int code_of(const RunData& data) { return exit_code(summarize(data)); }

RunData with(Outcome outcome) {
  RunData data;
  Record r = testing::passed_record();
  data.records = {r};
  r.outcome = outcome;
  data.records.push_back(r);
  return data;
}

}  // namespace

TEST_CASE("each outcome has its exit code, and the worst one counts", "[reports][exit]") {
  CHECK(code_of(with(Outcome::passed)) == 0);
  CHECK(code_of(with(Outcome::failed)) == 1);
  CHECK(code_of(with(Outcome::untrusted)) == 3);
  CHECK(code_of(with(Outcome::skipped)) == 0);
  CHECK(code_of(with(Outcome::crashed)) == 6);
  CHECK(code_of(with(Outcome::timeout)) == 6);
  RunData data = with(Outcome::untrusted);
  data.records[0].outcome = Outcome::failed;
  CHECK(code_of(data) == 1);
}

TEST_CASE("nothing run is never a success", "[reports][exit]") {
  CHECK(code_of({}) == 5);
  RunData data = with(Outcome::skipped);
  data.records[0].outcome = Outcome::skipped;
  CHECK(code_of(data) == 4);
}

TEST_CASE("an undecided comparison, a survivor, a small separation and a refused measurement are failures of the harness", "[reports][exit]") {
  RunData data = with(Outcome::passed);
  data.records[0].uncertified = 1;
  CHECK(code_of(data) == 3);
  data = testing::good_run();
  CHECK(code_of(data) == 0);
  data.mutants.push_back(testing::survived_mutant());
  CHECK(code_of(data) == 3);
  data = testing::good_run();
  data.mutants[0].margin = 2.49;  // the production record reaches 0.25
  CHECK(code_of(data) == 3);
  data.mutants[0].margin = 2.5;
  CHECK(code_of(data) == 0);
  data.bench[0].share = 1.06;
  CHECK(code_of(data) == 3);
  data.bench[0].share = std::numeric_limits<double>::quiet_NaN();
  CHECK(code_of(data) == 3);
  data.bench[0].share = 0.5;
  data.bench[0].verified = false;
  CHECK(code_of(data) == 3);
  data.bench = {testing::bench_result_beside_products()};  // its share is 1.25: products of parts may be faster
  CHECK(code_of(data) == 0);
  data.bench[0].verified = false;
  CHECK(code_of(data) == 3);
}

TEST_CASE("a run of which records were not written is not whole, and neither is what is merged from it", "[reports][exit]") {
  RunData lost = with(Outcome::passed);
  lost.unrecorded = "cannot write records.jsonl: File too large";
  CHECK(code_of(lost) == 3);
  CHECK(std::string(verdict(summarize(lost))) == "INTERRUPTED");
  CHECK(verdict_sentence(summarize(lost)).find(lost.unrecorded) != std::string::npos);
  RunData whole = with(Outcome::passed);
  merge(whole, lost);
  CHECK(code_of(whole) == 3);
  CHECK(whole.unrecorded == lost.unrecorded);
  lost.records[0].outcome = Outcome::failed;
  CHECK(code_of(lost) == 1);
}

TEST_CASE("separation is the weakest margin over the worst production ratio", "[reports][separation]") {
  RunData data = testing::good_run();
  data.mutants.push_back(testing::killed_mutant());
  data.mutants[1].margin = 50;
  data.mutants.push_back(testing::killed_mutant());
  data.mutants[2].margin = 1, data.mutants[2].has_margin = false;  // stays out of it
  const Summary s = summarize(data);
  REQUIRE(s.separation.has_value());
  CHECK(*s.separation == 200);
  CHECK(s.weakest == &data.mutants[1]);
}

TEST_CASE("records of mutants are no production results", "[reports][separation]") {
  RunData data = testing::good_run();
  Record mutant = testing::failed_record();
  mutant.mutant = "missing_max";
  data.records.push_back(mutant);
  CHECK(code_of(data) == 0);
  CHECK(summarize(data).worst_ratio == 0.25);
}

TEST_CASE("a NaN ratio is the worst there is", "[reports][separation]") {
  RunData data = testing::good_run();
  for (const std::size_t at : {0u, 1u}) {
    data.records = {testing::passed_record(), testing::passed_record()};
    data.records[at].worst_ratio = std::numeric_limits<double>::quiet_NaN();
    const Summary s = summarize(data);
    CHECK(s.worst == &data.records[at]);
    CHECK(code_of(data) == 3);  // a separation of NaN is not enough
  }
}

TEST_CASE("replay and repeat commands survive a shell", "[reports][commands]") {
  CHECK(replay_command(testing::failed_record()) ==
        "./plusmax replay 'logsumexp bf16 rows=2 cols=2 data=[[1,2],[-inf,-inf]]' --variant block_per_row --check oracle");
  CHECK(shell_quoted("it's") == "'it'\\''s'");
  CHECK(shell_quoted("") == "''");
  CHECK(repeat_command(testing::good_run().info) == "./plusmax check --match 'a b' --seed 42");
  plusmax::properties::RunInfo info;
  info.argv = {"plusmax", "mutants"}, info.verb = "mutants", info.seed = 7;
  CHECK(repeat_command(info) == "./plusmax mutants");  // it has no --seed
  info.argv = {"plusmax", "bench"}, info.verb = "bench";
  CHECK(repeat_command(info) == "./plusmax bench --seed 7");
  Record r = testing::failed_record();
  r.case_file = "my cases", r.case_id = "A+1", r.check = "expected", r.variant = "v", r.backend = "host";
  CHECK(replay_command(r) == "./plusmax check --cases 'my cases' --match 'expected \\[A\\+1\\]' --variant v --check expected --out replayed");
  r.case_file = "";
  for (const std::vector<std::string>& option : {std::vector<std::string>{"--module", "a b.so"}, {"--module=a b.so"}}) {
    info.argv = {"plusmax", "check"};
    info.argv.insert(info.argv.end(), option.begin(), option.end());
    CHECK(replay_command(r, info).ends_with(" --variant v --check expected --module 'a b.so'"));
  }
}
