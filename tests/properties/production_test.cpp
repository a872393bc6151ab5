// Every variant of this build passes every check on a few small cases; the profiles of `check` run many more.
#include "properties/operation.hpp"
#include "tests/catch.hpp"

using namespace plusmax::properties;

TEST_CASE("production: every variant passes every check on small cases of every kind", "[production]") {
  const char* lines[] = {"logsumexp f32 rows=3 cols=300 seed=1",
                         "logsumexp f32 rows=1 cols=1",
                         "logsumexp f16 rows=2 cols=77 stride=80 phase=3 seed=2 fill=ramp",
                         "logsumexp bf16 rows=5 cols=1030 seed=3 fill=first_half_negative_infinity",
                         "logsumexp f64 rows=2 cols=129 seed=4 out_stride=3",
                         "logsumexp f32 rows=7 cols=50 stride=1 col_stride=9 seed=5",
                         "logsumexp bf16 rows=3 cols=40 stride=0 seed=6",
                         "logsumexp f32 rows=0 cols=9",
                         "logsumexp f16 rows=3 cols=0",
                         "logsumexp f32 rows=2 cols=2048 fill=plateau",
                         "logsumexp f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]]"};
  std::uint64_t passed = 0;
  for (const char* line : lines)
    for (Subject& subject : subjects_of(*host_module(), "logsumexp", ""))
      for (const Check* check : checks_of("logsumexp")) {
        const Record record = run_check(*check, parse_case(line), subject);
        CAPTURE(line, record.variant, record.check, record.reason);
        CHECK((record.outcome == Outcome::passed || record.outcome == Outcome::skipped));
        passed += record.outcome == Outcome::passed;
      }
  CHECK(passed > 200);
}

TEST_CASE("production: every variant passes every check of cross_entropy on small cases of every kind", "[production]") {
  const char* lines[] = {
      "cross_entropy f32 rows=3 cols=300 seed=1 gradient=in_place",
      "cross_entropy f32 rows=1 cols=1 gradient=out_of_place",
      "cross_entropy f16 rows=2 cols=77 stride=80 phase=3 seed=2 fill=ramp softcap=30 upstream=1024 gradient=in_place",
      "cross_entropy bf16 rows=5 cols=1030 seed=3 fill=first_half_negative_infinity smoothing=0.1 reduction=mean",
      "cross_entropy f64 rows=2 cols=129 seed=4 weights=normal z_loss=0.01 gradient=out_of_place",
      "cross_entropy bf16 rows=3 cols=40 stride=0 seed=6 reduction=sum target_type=i32 target_stride=2 bad=0.3",
      "cross_entropy f32 rows=6 cols=9 ignored=0.5 ignore_index=2 weights=uniform smoothing=0.3 scale=2 reduction=mean "
      "upstream=normal gradient=in_place outputs=loss,lse,argmax",
      "cross_entropy f32 rows=0 cols=9 reduction=sum",
      "cross_entropy f32 rows=2 cols=2048 fill=plateau gradient=in_place",
      "cross_entropy f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]] targets=[0,1] gradient=in_place",
      // 2 lambda lse overflows where nothing is divided, and 0 times that is no 0.
      "cross_entropy f32 data=[[-3.39e38]] targets=[0] weights=[0] z_loss=1 reduction=mean gradient=in_place"};
  std::uint64_t passed = 0;
  for (const char* line : lines)
    for (Subject& subject : subjects_of(*host_module(), "cross_entropy", ""))
      for (const Check* check : checks_of("cross_entropy")) {
        const Record record = run_check(*check, parse_case(line), subject);
        CAPTURE(line, record.variant, record.check, record.reason);
        CHECK((record.outcome == Outcome::passed || record.outcome == Outcome::skipped));
        passed += record.outcome == Outcome::passed;
      }
  CHECK(passed > 500);
}

TEST_CASE("operations: checks and subjects are those of the operation, and of no other", "[production]") {
  CHECK(checks_of("logsumexp").size() >= 12);
  CHECK(checks_of("cross_entropy").size() >= 22);
  CHECK(find_check("logsumexp", "oracle") != nullptr);
  for (const char* other : {"nothing", ""}) {
    CHECK(checks_of(other).empty());
    CHECK(find_check(other, "oracle") == nullptr);
    CHECK_THROWS_AS(operation_named(other), UsageError);
  }
  for (const Operation* operation : operations::all())
    for (const Subject& subject : subjects_of(*host_module(), operation->name, "")) CHECK(subject.op == operation->name);
}

TEST_CASE("production: subjects are found by the name of their variant", "[production]") {
  const auto all = subjects_of(*host_module(), "logsumexp", "");
  CHECK(all.size() >= 4);
  CHECK(subjects_of(*host_module(), "logsumexp", all[0].variant).size() == 1);
  CHECK(subjects_of(*host_module(), "logsumexp", "nothing").empty());
  CHECK(subjects_of(*host_module(), "nothing", "").empty());
}

TEST_CASE("production: a module that is not there is refused with its path", "[production]") {
  try {
    load_module("/nowhere/plusmax.so");
    FAIL("it was loaded");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()).find("/nowhere/plusmax.so") != std::string::npos);
  }
}
