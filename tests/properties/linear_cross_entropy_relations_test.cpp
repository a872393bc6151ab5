// Each relation that linear_cross_entropy is checked for passes on a kernel without a mistake and fails on one that
// makes the mistake it is there for.
#include "tests/catch.hpp"
#include "tests/properties/caught.hpp"
#include "tests/properties/plain_linear_cross_entropy.hpp"

using namespace plusmax;
using namespace plusmax::properties;
using plain_linear_cross_entropy::Slip;
using plain_linear_cross_entropy::World;

namespace {

const char* kPlain = "linear_cross_entropy f32 rows=5 cols=20 seed=3 features=6 gradient=dhidden,dweight,dbias chunk=2";
const char* kFull =
    "linear_cross_entropy f32 rows=6 cols=17 seed=5 smoothing=0.1 z_loss=0.01 softcap=20 weights=uniform "
    "reduction=mean "
    "ignored=0.3 upstream=normal features=5 bias=normal gradient=dhidden,dweight,dbias add_to_dweight=yes chunk=2";

template <Slip kSlip>
void expect_caught(const char* check, const char* line) {
  fake::expect_caught<World<Slip::none>, World<kSlip>>(check, line);
}

}  // namespace

TEST_CASE("checks: every check of linear_cross_entropy passes on a sound kernel, in every mode",
          "[checks][linear_cross_entropy]") {
  World<Slip::none> sound;
  for (const char* line :
       {kPlain, kFull, "linear_cross_entropy f32 rows=3 cols=9 seed=1 features=4",
        "linear_cross_entropy f32 rows=0 cols=4",
        "linear_cross_entropy f32 rows=1 cols=1 features=1 gradient=dhidden,dweight,dbias smoothing=0.2",
        "linear_cross_entropy f32 rows=6 cols=9 bad=0.3 seed=2 features=3 gradient=dhidden,dweight,dbias"})
    for (const char* variant : {"token_chunks", "vocab_slices", "loss_only"})
      for (const Check* check : checks_of("linear_cross_entropy")) {
        const Record record = sound.run(check->name, line, variant);
        CAPTURE(line, variant, check->name, record.reason);
        CHECK((record.outcome == Outcome::passed || record.outcome == Outcome::skipped));
      }
}
TEST_CASE("checks: every check of linear_cross_entropy has a statement, and its name is its file's",
          "[checks][linear_cross_entropy]") {
  CHECK(checks_of("linear_cross_entropy").size() >= 22);
  for (const Check* check : checks_of("linear_cross_entropy")) {
    CAPTURE(check->name);
    CHECK(std::strlen(check->statement) > 20);
    CHECK(find_check("linear_cross_entropy", check->name) == check);
  }
}

TEST_CASE("checks: linear_cross_entropy's oracle fails with p - 1 nowhere in a token",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::label_missed>("oracle",
                                    "linear_cross_entropy f32 rows=1 cols=5 targets=[4] features=3 gradient=dhidden");
}
TEST_CASE("checks: chunk_invariance fails when dW is that of the last chunk", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::last_chunk_alone>("chunk_invariance", kPlain);
}
TEST_CASE("checks: chunk_invariance fails when a mean is over a chunk", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::mean_of_chunk>("chunk_invariance", kFull);
}
TEST_CASE("checks: modes_agree fails when slices lose a class", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::slices_lose_class>("modes_agree", kPlain);
}
TEST_CASE("checks: token_permutation fails when the last token's dX is lost", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::last_dhidden_lost>("token_permutation", kPlain);
}
TEST_CASE("checks: class_permutation fails when the first class is lost", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::first_class_lost>("class_permutation", kPlain);
}
TEST_CASE("checks: zero_hidden fails when W reaches a logit without X", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::weight_leaks>("zero_hidden", kPlain);
}
TEST_CASE("checks: zero_hidden fails when the bias is added twice", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::bias_twice>("zero_hidden", kFull);
}
TEST_CASE("checks: transform fails when the last feature is lost", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::last_feature_lost>("transform", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's ignored fails when ignored tokens count", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::ignored_counted>("ignored", kFull);
}
TEST_CASE("checks: linear_cross_entropy's ignored fails when ignored tokens are read",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::ignored_token_read>("ignored", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's ignored fails with a dX of -0", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::ignored_dhidden_negative>("ignored", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's ignored fails when too few stated tokens leave no NaN",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::excess_silent>("ignored", kPlain);
}
TEST_CASE("checks: class_sums fail when one gradient is lost", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::last_gradient_lost>("class_sums", kPlain);
}
TEST_CASE("checks: stale fails when dW is added to what was there unasked", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::always_added>("stale", kPlain);
}
TEST_CASE("checks: stale fails when dW replaces what it is to be added to", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::never_added>("stale", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's repeat fails when the second call differs by one ulp",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::calls_matter>("repeat", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's guards fail when padding is read", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::padding_read>("guards", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's guards fail when an ignored token is read",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::ignored_token_read>("guards", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's guards fail when something is written beside the results",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::written_beside>("guards", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's stride_alignment fails with the stride of X for dX",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::dhidden_has_stride_of_hidden>("stride_alignment", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's outputs fail when the loss differs by one ulp without lse",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::lse_matters>("outputs", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's outputs fail when there is no dW without dX",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::dweight_needs_dhidden>("outputs", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's upstream fails when the first token's is taken for all",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::upstream_of_first_token>("upstream", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's weights fail when their sum is taken for the number of classes",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::weights_sum_forgotten>("weights", kFull);
}
TEST_CASE("checks: linear_cross_entropy's smoothing fails with a class less", "[checks][linear_cross_entropy]") {
  expect_caught<Slip::classes_less_one>("smoothing", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's reduction fails when a mean is over a chunk",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::mean_of_chunk>("reduction", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's reduction fails when ignored tokens count",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::ignored_counted>("reduction", kFull);
}
TEST_CASE("checks: linear_cross_entropy's options_matter fails when the z-loss is not used",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::z_loss_unused>("options_matter", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's targets fail when they are cut to 32 bits",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::targets_cut>("targets", kPlain);
}
TEST_CASE("checks: linear_cross_entropy's row_independence fails when a neighbour matters by one ulp",
          "[checks][linear_cross_entropy]") {
  expect_caught<Slip::neighbours_matter>("row_independence", kPlain);
}

TEST_CASE("production: every mode of linear_cross_entropy passes every check on small cases of every kind",
          "[production]") {
  const char* lines[] = {
      "linear_cross_entropy f32 rows=5 cols=140 seed=1 features=9 chunk=2 gradient=dhidden,dweight,dbias",
      "linear_cross_entropy f32 rows=1 cols=1 features=1 gradient=dweight",
      "linear_cross_entropy f32 rows=3 cols=20 features=4 bias=normal smoothing=0.1 z_loss=1e-3 outputs=loss,lse",
      "linear_cross_entropy f16 rows=6 cols=17 phase=1 seed=2 features=7 weight_stride=9 weight_phase=3 softcap=5 "
      "scale=0.5 "
      "upstream=normal gradient=dhidden,dweight,dbias chunk=4 chunk_dtype=dtype dweight_type=dtype",
      "linear_cross_entropy bf16 rows=9 cols=30 seed=3 features=16 ignored=0.5 ignore_index=2 weights=uniform bad=0.2 "
      "reduction=mean gradient=dweight,dbias add_to_dweight=yes accumulate_in_dweight_type=yes dweight_type=dtype "
      "chunk=1",
      "linear_cross_entropy bf16 rows=4 cols=131 seed=4 features=24 bias=masked reduction=sum gradient=dhidden,dweight "
      "max_valid_tokens=2 outputs=loss,lse,argmax,excess_tokens",
      "linear_cross_entropy f32 rows=0 cols=9 features=3 reduction=sum gradient=dhidden,dweight,dbias",
      // Nothing is divided, and there are more tokens than stated.
      "linear_cross_entropy f32 rows=3 cols=2 features=2 weights=[0,0] reduction=mean max_valid_tokens=2 "
      "gradient=dhidden,dweight,dbias outputs=loss,excess_tokens"};
  std::uint64_t passed = 0;
  for (const char* line : lines)
    for (Subject& subject : subjects_of(*host_module(), "linear_cross_entropy", ""))
      for (const Check* check : checks_of("linear_cross_entropy")) {
        const Record record = run_check(*check, parse_case(line), subject);
        CAPTURE(line, record.variant, record.check, record.reason);
        CHECK((record.outcome == Outcome::passed || record.outcome == Outcome::skipped));
        passed += record.outcome == Outcome::passed;
      }
  CHECK(passed > 200);
}
