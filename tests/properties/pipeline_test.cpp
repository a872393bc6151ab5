// What run_check makes of faults, missing memory, refusals and cases that prove nothing.
#include "properties/operation.hpp"
#include "properties/tally.hpp"
#include "tests/catch.hpp"
#include "tests/properties/fake.hpp"

using namespace plusmax;
using namespace plusmax::properties;
using fake::Mistake;
using fake::World;

TEST_CASE("pipeline: a record says what ran", "[pipeline]") {
  World<Mistake::none> world;
  const Record record = world.run("oracle", "logsumexp f32 rows=3 cols=40 seed=7");
  CHECK(record.outcome == Outcome::passed);
  CHECK(record.reason.empty());
  CHECK(record.op == "logsumexp");
  CHECK(record.variant == "fake");
  CHECK(record.dtype == "f32");
  CHECK(record.backend == "fake");
  CHECK(record.check == "oracle");
  CHECK(record.case_line == "logsumexp f32 rows=3 cols=40 seed=7");
  CHECK(record.rows == 3);
  CHECK(record.cols == 40);
  CHECK(record.seed == 7);
  CHECK(record.compared == 3);
  CHECK(record.logits == 120);
  CHECK(record.worst_ratio > 0);
  CHECK(record.worst_ratio < 1);
  std::uint64_t binned = 0;
  for (const auto& [bin, count] : record.ulp_histogram) binned += count;
  CHECK(binned == 3);
}

TEST_CASE("pipeline: what the device objects to is a failure with its text", "[pipeline]") {
  World<Mistake::none> world;
  world.machine.faulty = true;
  const Record record = world.run("oracle", "logsumexp f32 rows=3 cols=40");
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.reason == "fault: logits: read 4 bytes at offset 4012, behind its 4012 bytes");
}

TEST_CASE("pipeline: missing memory is skipped with the bytes needed", "[pipeline]") {
  World<Mistake::none> world;
  world.machine.full = true;
  const Record record = world.run("oracle", "logsumexp f32 rows=3 cols=40");
  CHECK(record.outcome == Outcome::skipped);
  CHECK(record.reason.find("480 bytes") != std::string::npos);
  CHECK(record.reason.find("12345") != std::string::npos);
}

TEST_CASE("pipeline: a row that no memory here holds is skipped before anything is written", "[pipeline]") {
  Subject subject = subjects_of(*host_module(), "logsumexp", "block_per_row").front();
  const Record record = run_check(*find_check("logsumexp", "oracle"), parse_case("logsumexp f32 rows=1 cols=2^40"), subject);
  CHECK(record.outcome == Outcome::skipped);
  CHECK(record.reason.find("not enough memory: 1 rows of 1099511627776 columns need") == 0);
  CHECK(record.seconds < 1);
}

TEST_CASE("pipeline: no device is skipped", "[pipeline]") {
  World<Mistake::none> world;
  world.machine.present = false;
  const Record record = world.run("oracle", "logsumexp f32 rows=3 cols=40");
  CHECK(record.outcome == Outcome::skipped);
  CHECK(record.reason.find("no device") != std::string::npos);
}

TEST_CASE("pipeline: a shape or a dtype that the variant refuses is skipped with its reason", "[pipeline]") {
  World<Mistake::none> world;
  const Record wide = world.run("oracle", "logsumexp f32 rows=1 cols=100001");
  CHECK(wide.outcome == Outcome::skipped);
  CHECK(wide.reason == "fake: cols 100001 > 100000");
  const Record half = world.run("oracle", "logsumexp f16 rows=1 cols=10");
  CHECK(half.outcome == Outcome::skipped);
  CHECK(half.reason == "fake has no f16");
}

TEST_CASE("pipeline: a case that could not have failed is untrusted, never passed", "[pipeline]") {
  World<Mistake::no_bound> world;
  const Record record = world.run("oracle", "logsumexp f32 rows=3 cols=40");
  CHECK(record.outcome == Outcome::untrusted);
  CHECK(record.reason.find("could have failed") != std::string::npos);
  // Even a wrong kernel would not be seen: that is why.
  Record empty;
  Tally tally(empty);
  tally.finish();
  CHECK(empty.outcome == Outcome::untrusted);
  CHECK(empty.reason == "nothing was compared");
}

TEST_CASE("pipeline: results that are never written are seen, also where NaN is due", "[pipeline]") {
  struct Silent {
    static Status launch(const fake::Params&, void*, void*) { return {}; }
  };
  World<Mistake::none> world;
  KernelVariant<fake::Params> silent = *world.variants[0];
  silent.launch = Silent::launch;
  world.variants[0] = &silent;
  for (const char* line : {"logsumexp f32 rows=2 cols=3", "logsumexp f32 data=[[nan,1]]", "logsumexp f32 data=[[-inf,-inf]]"}) {
    CAPTURE(line);
    CHECK(world.run("oracle", line).outcome == Outcome::failed);
  }
}

TEST_CASE("pipeline: a launch that refuses what supports() accepts is a failure", "[pipeline]") {
  struct Refusing {
    static Status launch(const fake::Params&, void*, void*) { return Status::error(PLUSMAX_DEVICE_ERROR, "too many resources"); }
  };
  World<Mistake::none> world;
  KernelVariant<fake::Params> refusing = *world.variants[0];
  refusing.launch = Refusing::launch;
  world.variants[0] = &refusing;
  const Record record = world.run("oracle", "logsumexp f32 rows=2 cols=3");
  CHECK(record.outcome == Outcome::failed);
  CHECK(record.reason.find("too many resources") != std::string::npos);
}

TEST_CASE("pipeline: the same case and check give the same record, whatever ran before", "[pipeline]") {
  World<Mistake::none> world;
  for (const Check* check : checks_of("logsumexp")) {
    CAPTURE(check->name);
    const Record first = world.run(check->name, "logsumexp f32 rows=3 cols=70 seed=5");
    world.run("oracle", "logsumexp f32 rows=2 cols=33 seed=9");
    const Record second = world.run(check->name, "logsumexp f32 rows=3 cols=70 seed=5");
    CHECK(first.outcome == second.outcome);
    CHECK(first.compared == second.compared);
    CHECK(first.worst_ratio == second.worst_ratio);
    CHECK(first.ulp_histogram == second.ulp_histogram);
  }
}

TEST_CASE("tally: bins of the ulp histogram are powers of two with a sign", "[tally]") {
  CHECK(ulp_bin(0) == 0);
  CHECK(ulp_bin(-0.2499) == 0);
  CHECK(ulp_bin(0.25) == 1);
  CHECK(ulp_bin(0.4999) == 1);
  CHECK(ulp_bin(0.5) == 2);
  CHECK(ulp_bin(-0.5) == -2);
  CHECK(ulp_bin(1) == 3);
  CHECK(ulp_bin(1e30) > 60);
}

TEST_CASE("tally: a bound of one ulp of the type can fail, whatever it is of the result", "[tally]") {
  reference::Judgement verdict;
  verdict.passed = true;
  verdict.bound = 1.07e9;
  for (const double ulp : {0.0, 0x1p30, 0x1p31}) {  // bf16 numbers of 2^38 are 2^31 apart
    Record record;
    Tally tally(record);
    verdict.ulp = ulp;
    tally.judge_gradient("x", 0, 4.483e11, 4.486e11, verdict);
    tally.finish();
    CHECK((record.outcome == Outcome::passed) == (ulp > 1e9));
  }
}

TEST_CASE("tally: NaN never passes a comparison", "[tally]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int kind = 0; kind < 4; ++kind) {
    Record record;
    Tally tally(record);
    if (kind == 0) tally.within("x", 0, nan, 1, 1e-6, 1);
    if (kind == 1) tally.within("x", 0, 1, 1, nan, 1), tally.within("x", 0, 1, 1.5, nan, 1);
    if (kind == 2) tally.at_least("x", 0, nan, 1, 1);
    if (kind == 3) tally.within("x", 0, nan, nan, 1, 1);
    tally.finish();
    CAPTURE(kind);
    CHECK(record.outcome == Outcome::failed);
  }
}
