// Each check passes on a kernel without a mistake and fails on one that makes the mistake it is there for.
#include "properties/operation.hpp"
#include "tests/catch.hpp"
#include "tests/properties/caught.hpp"
#include "tests/properties/fake.hpp"

using namespace plusmax;
using namespace plusmax::properties;
using fake::Mistake;
using fake::World;

namespace {

const char* kPlain = "logsumexp f32 rows=3 cols=1500 seed=3";

template <Mistake kMistake>
void expect_caught(const char* check, const char* line) {
  fake::expect_caught<World<Mistake::none>, World<kMistake>>(check, line);
}

}  // namespace

TEST_CASE("checks: oracle fails without the maximum", "[checks]") { expect_caught<Mistake::no_maximum>("oracle", kPlain); }
TEST_CASE("checks: oracle fails when one column is lost of a plateau", "[checks]") {
  expect_caught<Mistake::first_column_lost>("oracle", "logsumexp f32 rows=1 cols=1500 fill=plateau column=0");
}
TEST_CASE("checks: shift fails when the shift is folded into the exponential", "[checks]") {
  expect_caught<Mistake::folded_shift>("shift", kPlain);
}
TEST_CASE("checks: permutation fails when the first column is lost", "[checks]") {
  expect_caught<Mistake::first_column_lost>("permutation", "logsumexp f32 rows=2 cols=60 seed=3");
}
TEST_CASE("checks: concatenation fails when long rows lose a half", "[checks]") {
  expect_caught<Mistake::long_rows_lose_half>("concatenation", kPlain);
}
TEST_CASE("checks: duplication fails when the logarithm counts twice", "[checks]") {
  expect_caught<Mistake::doubled_logarithm>("duplication", kPlain);
}
TEST_CASE("checks: padding_columns fails when masked columns count", "[checks]") {
  expect_caught<Mistake::masked_counts>("padding_columns", kPlain);
}
TEST_CASE("checks: monotonicity fails when results are capped", "[checks]") {
  expect_caught<Mistake::capped>("monotonicity", "logsumexp f32 rows=2 cols=40 seed=3 fill=offset value=15");
}
TEST_CASE("checks: range fails with a logarithm to base 2", "[checks]") { expect_caught<Mistake::base_2>("range", "logsumexp f32 rows=2 cols=40 fill=constant"); }
TEST_CASE("checks: stride_alignment fails with the stride taken from the shape", "[checks]") {
  expect_caught<Mistake::stride_of_cols>("stride_alignment", kPlain);
}
TEST_CASE("checks: row_independence fails when the number of rows matters by one ulp", "[checks]") {
  expect_caught<Mistake::rows_matter>("row_independence", kPlain);
}
TEST_CASE("checks: repeat fails when the second call differs by one ulp", "[checks]") {
  expect_caught<Mistake::calls_matter>("repeat", kPlain);
}
TEST_CASE("checks: guards fails when padding is read", "[checks]") { expect_caught<Mistake::padding_read>("guards", kPlain); }
TEST_CASE("checks: guards fails when something is written beside the results", "[checks]") {
  expect_caught<Mistake::written_beside>("guards", kPlain);
}
TEST_CASE("checks: every_column fails when the last column is lost", "[checks]") {
  expect_caught<Mistake::last_column_lost>("every_column", kPlain);
}
TEST_CASE("checks: special_values fails when NaN is dropped", "[checks]") { expect_caught<Mistake::nan_dropped>("special_values", kPlain); }
TEST_CASE("checks: expected fails without the maximum", "[checks]") {
  expect_caught<Mistake::no_maximum>("expected", "logsumexp f32 data=[[2000,1999,0]]");
}
TEST_CASE("checks: a plateau comes close to the bound, and a bound forty times too wide is the harness's fault", "[checks]") {
  const char* line = "logsumexp f32 rows=1 cols=1500 fill=plateau";
  World<Mistake::none> sound;
  const Record good = sound.run("bound_is_sharp", line);
  CAPTURE(good.sum_ratio, good.reason);
  CHECK(good.outcome == Outcome::passed);
  CHECK(good.sum_ratio >= 0.05);
  CHECK(good.sum_ratio <= 1);
  World<Mistake::wide_bound> wide;
  const Record blunt = wide.run("bound_is_sharp", line);
  CHECK(blunt.outcome == Outcome::untrusted);
  CHECK(blunt.reason.find("harness") != std::string::npos);
}
TEST_CASE("checks: every check has a statement, and its name is its file's", "[checks]") {
  for (const Check* check : checks_of("logsumexp")) {
    CAPTURE(check->name);
    CHECK(std::strlen(check->statement) > 20);
    CHECK(find_check("logsumexp", check->name) == check);
  }
  CHECK(find_check("logsumexp", "no such check") == nullptr);
}
