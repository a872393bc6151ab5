// Each check of linear_cross_entropy passes on the host's kernels and fails on results that a mistake changed.
#include "tests/catch.hpp"
#include "tests/properties/fake_linear_cross_entropy.hpp"

using namespace plusmax;
using namespace plusmax::properties;
using fake_linear_cross_entropy::Slip;
using fake_linear_cross_entropy::World;

namespace {

const char* kPlain =
    "linear_cross_entropy f32 rows=5 cols=30 seed=3 features=9 bias=normal gradient=dhidden,dweight,dbias chunk=2 "
    "outputs=loss,lse,argmax";
const char* kFull =
    "linear_cross_entropy f32 rows=6 cols=40 seed=5 smoothing=0.1 z_loss=0.01 softcap=20 weights=uniform "
    "reduction=mean ignored=0.3 upstream=normal features=8 bias=normal weight_stride=11 "
    "gradient=dhidden,dweight,dbias dweight_stride=11 add_to_dweight=yes chunk=4";

template <Slip kSlip>
void expect_caught(const char* check, const char* line) {
  fake::expect_caught<World<Slip::none>, World<kSlip>>(check, line);
}

}  // namespace

TEST_CASE("checks: every check of linear_cross_entropy passes on the host's kernels, with all options too",
          "[checks][linear_cross_entropy]") {
  for (const char* line :
       {kPlain, kFull, "linear_cross_entropy f32 rows=1 cols=1 features=1 gradient=dhidden,dweight,dbias",
        "linear_cross_entropy bf16 rows=6 cols=9 bad=0.3 seed=2 features=3 gradient=dhidden chunk_dtype=dtype",
        "linear_cross_entropy f16 rows=3 cols=200 smoothing=0.2 features=5 chunk=128 outputs=loss,lse,argmax",
        "linear_cross_entropy f32 rows=0 cols=4 features=2 reduction=mean gradient=dweight"})
    for (Subject& subject : subjects_of(*host_module(), "linear_cross_entropy", ""))
      for (const Check* check : checks_of("linear_cross_entropy")) {
        const Record record = run_check(*check, parse_case(line), subject);
        CAPTURE(line, check->name, subject.variant, record.reason);
        CHECK((record.outcome == Outcome::passed || record.outcome == Outcome::skipped));
      }
}

TEST_CASE("checks: linear_cross_entropy's oracle fails when a loss is rounded", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::loss_rounded>("oracle", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's oracle fails when an lse is another token's",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::lse_of_next_token>("oracle", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's oracle fails when dW was in 16 bits", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::dweight_accumulated_in_16_bits>("oracle", kPlain);
  expect_caught<Slip::dweight_accumulated_in_16_bits>("oracle", kFull);
}
TEST_CASE("checks: linear_cross_entropy's oracle fails when one element of dbias or dX is wrong",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::last_dbias_lost>("oracle", kPlain);
  expect_caught<Slip::dhidden_off>("oracle", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's oracle fails when an ignored token's gradient is -0",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::ignored_dhidden_negative>("oracle",
                                                "linear_cross_entropy f32 rows=3 cols=5 targets=[1,-100,2] features=4 "
                                                "gradient=dhidden");
}
TEST_CASE("checks: linear_cross_entropy's oracle fails with another argmax, count or mean",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::argmax_of_last_class>("oracle", kPlain);
  expect_caught<Slip::excess_uncounted>(
      "oracle", "linear_cross_entropy f32 rows=5 cols=6 features=4 max_valid_tokens=3 outputs=loss,excess_tokens");
  expect_caught<Slip::mean_not_divided>("oracle", kFull);
}
TEST_CASE("checks: linear_cross_entropy's oracle fails when something is written beside the results",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::written_beside>("oracle", kFull);
}
TEST_CASE("checks: linear_cross_entropy's answers fail when a loss is another", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::mean_not_divided>(
      "expected",
      "linear_cross_entropy f32 rows=4 cols=2 features=1 reduction=mean targets=[0,...] hidden=one_hot "
      "weight=[[0],[0]] gradient=dhidden,dweight chunk=2");
}

TEST_CASE("linear_cross_entropy: the type that logits are stored in reaches the plan and the bound", "[production]") {
  Subject of = subjects_of(*host_module(), "linear_cross_entropy", "token_chunks").front();
  const auto bound = [&](const std::string& tail) {
    const Case line = parse_case("linear_cross_entropy bf16 rows=2 cols=5 features=3 gradient=dweight" + tail);
    return operation_named("linear_cross_entropy").explain(line, of, {1, 1}).front().bound;
  };
  CHECK(bound(" chunk_dtype=dtype") > 100 * bound(""));
}
