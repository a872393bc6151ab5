// Each check of cross_entropy passes on a kernel without a mistake and fails on one that makes the mistake it is there
// for.
#include "tests/catch.hpp"
#include "tests/properties/caught.hpp"
#include "tests/properties/fake_cross_entropy.hpp"

using namespace plusmax;
using namespace plusmax::properties;
using fake_cross_entropy::Slip;
using fake_cross_entropy::World;

namespace {

const char* kPlain = "cross_entropy f32 rows=3 cols=50 seed=3 gradient=out_of_place";
const char* kFull =
    "cross_entropy f32 rows=4 cols=70 stride=75 seed=5 smoothing=0.1 z_loss=0.01 softcap=20 weights=uniform "
    "reduction=mean "
    "upstream=normal ignored=0.3 gradient=in_place";

template <Slip kSlip>
void expect_caught(const char* check, const char* line) {
  fake::expect_caught<World<Slip::none>, World<kSlip>>(check, line);
}

}  // namespace

TEST_CASE("checks: every check of cross_entropy passes on a sound kernel, with all options too",
          "[checks][cross_entropy]") {
  World<Slip::none> sound;
  for (const char* line :
       {kPlain, kFull, "cross_entropy f32 rows=1 cols=2 seed=1", "cross_entropy f32 rows=6 cols=9 bad=0.3 seed=2",
        "cross_entropy f32 rows=2 cols=1 smoothing=0.2", "cross_entropy f32 rows=0 cols=4"})
    for (const Check* check : checks_of("cross_entropy")) {
      const Record record = sound.run(check->name, line);
      CAPTURE(line, check->name, record.reason);
      CHECK((record.outcome == Outcome::passed || record.outcome == Outcome::skipped));
    }
}
TEST_CASE("checks: every check of cross_entropy has a statement, and its name is its file's",
          "[checks][cross_entropy]") {
  CHECK(checks_of("cross_entropy").size() >= 22);
  for (const Check* check : checks_of("cross_entropy")) {
    CAPTURE(check->name);
    CHECK(std::strlen(check->statement) > 20);
    CHECK(find_check("cross_entropy", check->name) == check);
  }
}

TEST_CASE("checks: cross_entropy's oracle fails with p - 1 nowhere in a row", "[checks][cross_entropy]") {
  expect_caught<Slip::last_target_missed>("oracle",
                                          "cross_entropy f32 rows=1 cols=5 targets=[4] gradient=out_of_place");
}
TEST_CASE("checks: cross_entropy's guards fail when padding is read", "[checks][cross_entropy]") {
  expect_caught<Slip::padding_read>("guards", kPlain);
}
TEST_CASE("checks: cross_entropy's guards fail when an ignored row is read", "[checks][cross_entropy]") {
  expect_caught<Slip::ignored_row_read>("guards", kPlain);
}
TEST_CASE("checks: cross_entropy's guards fail when something is written beside the results",
          "[checks][cross_entropy]") {
  expect_caught<Slip::written_beside>("guards", kPlain);
}
TEST_CASE("checks: cross_entropy's stride_alignment fails with the stride of the logits for the gradient",
          "[checks][cross_entropy]") {
  expect_caught<Slip::gradient_has_stride_of_logits>("stride_alignment", kPlain);
}
TEST_CASE("checks: cross_entropy's row_independence fails when the number of rows matters by one ulp",
          "[checks][cross_entropy]") {
  expect_caught<Slip::rows_matter>("row_independence", kPlain);
}
TEST_CASE("checks: cross_entropy's repeat fails when the second call differs by one ulp", "[checks][cross_entropy]") {
  expect_caught<Slip::calls_matter>("repeat", kPlain);
}
TEST_CASE("checks: cross_entropy's special_values fail when NaN is dropped", "[checks][cross_entropy]") {
  expect_caught<Slip::nan_dropped>("special_values", kPlain);
}
TEST_CASE("checks: cross_entropy's special_values fail when the cap unmasks a column", "[checks][cross_entropy]") {
  expect_caught<Slip::cap_unmasks>("special_values", kPlain);
}
TEST_CASE("checks: cross_entropy's every_target fails when a target in the last column is missed",
          "[checks][cross_entropy]") {
  expect_caught<Slip::last_target_missed>("every_target", kPlain);
}
TEST_CASE("checks: cross_entropy's zero_sum fails when one gradient is lost", "[checks][cross_entropy]") {
  expect_caught<Slip::last_gradient_lost>("zero_sum", kPlain);
}
TEST_CASE("checks: cross_entropy's range fails with a loss below 0", "[checks][cross_entropy]") {
  expect_caught<Slip::negative_loss>("range", kPlain);
}
TEST_CASE("checks: confident fails when 1 swallows the sum of the others", "[checks][cross_entropy]") {
  expect_caught<Slip::small_sum_swallowed>("confident", kPlain);
}
TEST_CASE("checks: cross_entropy's expected fails with a loss of the other sign", "[checks][cross_entropy]") {
  expect_caught<Slip::negative_loss>("expected",
                                     "cross_entropy f32 rows=1 cols=4 fill=constant value=-168.5 targets=[0]");
}
TEST_CASE("checks: cross_entropy's shift fails when p is made from lse", "[checks][cross_entropy]") {
  expect_caught<Slip::p_from_lse>("shift", kPlain);
}
TEST_CASE("checks: cross_entropy's permutation fails when the first column is lost", "[checks][cross_entropy]") {
  expect_caught<Slip::first_column_lost>("permutation", kPlain);
}
TEST_CASE("checks: cross_entropy's smoothing fails with a class less", "[checks][cross_entropy]") {
  expect_caught<Slip::classes_less_one>("smoothing", kPlain);
}
TEST_CASE("checks: cross_entropy's outputs fail when the loss differs by one ulp without a gradient",
          "[checks][cross_entropy]") {
  expect_caught<Slip::forward_differs>("outputs", kPlain);
}
TEST_CASE("checks: cross_entropy's reduction fails when ignored rows count", "[checks][cross_entropy]") {
  expect_caught<Slip::ignored_counted>("reduction", kFull);
}
TEST_CASE("checks: cross_entropy's ignored fails with a gradient of -0", "[checks][cross_entropy]") {
  expect_caught<Slip::ignored_gradient_negative>("ignored", kPlain);
}
TEST_CASE("checks: cross_entropy's ignored fails when ignored rows are read", "[checks][cross_entropy]") {
  expect_caught<Slip::ignored_row_read>("ignored", kPlain);
}
TEST_CASE("checks: cross_entropy's weights fail when their sum is taken for the number of classes",
          "[checks][cross_entropy]") {
  expect_caught<Slip::weights_sum_forgotten>("weights", kFull);
}
TEST_CASE("checks: cross_entropy's upstream fails when the first row's is taken for all", "[checks][cross_entropy]") {
  expect_caught<Slip::upstream_of_first_row>("upstream", kPlain);
}
TEST_CASE("checks: cross_entropy's central_differences fail without the cap's slope", "[checks][cross_entropy]") {
  expect_caught<Slip::slope_forgotten>("central_differences", kFull);
}
TEST_CASE("checks: cross_entropy's options_matter fails when the z-loss is not used", "[checks][cross_entropy]") {
  expect_caught<Slip::z_loss_unused>("options_matter", kPlain);
}
TEST_CASE("checks: cross_entropy's backward fails when it does not look at the state", "[checks][cross_entropy]") {
  expect_caught<Slip::backward_ignores_state>("backward", kPlain);
}
TEST_CASE("checks: cross_entropy's targets fail when they are cut to 32 bits", "[checks][cross_entropy]") {
  expect_caught<Slip::targets_cut>("targets", kPlain);
}
TEST_CASE(
    "checks: a plateau comes close to the bounds of cross_entropy, and one forty times too wide is the harness's fault",
    "[checks][cross_entropy]") {
  const char* line = "cross_entropy f32 rows=1 cols=1500 fill=plateau gradient=out_of_place";
  World<Slip::none> sound;
  const Record good = sound.run("bound_is_sharp", line);
  CAPTURE(good.sum_ratio, good.reason);
  CHECK(good.outcome == Outcome::passed);
  CHECK(good.sum_ratio >= 0.05);
  CHECK(good.sum_ratio <= 1);
  World<Slip::wide_bound> wide;
  const Record blunt = wide.run("bound_is_sharp", line);
  CHECK(blunt.outcome == Outcome::untrusted);
  CHECK(blunt.reason.find("harness") != std::string::npos);
}
