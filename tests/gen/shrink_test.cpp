#include "properties/gen/shrink.hpp"

#include "properties/gen/generate.hpp"
#include "properties/gen/resize.hpp"
#include "properties/random.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

using namespace plusmax;
using namespace plusmax::properties;
using namespace plusmax::properties::gen;

namespace {

// Shrinks the first 40 generated Cases for which `fails` holds; all must end at `wanted`.
void require_minimum(const std::function<bool(const Case&)>& fails, const std::string& wanted) {
  int found = 0;
  for (std::uint64_t key = 0; key < 200'000 && found < 40; ++key) {
    const Case c = draw_case("logsumexp", {}, mix(3, key), static_cast<int>(key % 101));
    if (!fails(c)) continue;
    ++found;
    const Shrunk shrunk = shrink(c, fails, {});
    INFO(to_line(c) << "\n-> " << to_line(shrunk.result) << " after " << shrunk.tried);
    REQUIRE(shrunk.complete);
    REQUIRE(to_line(shrunk.result) == wanted);
    REQUIRE(parse_case(to_line(shrunk.result)) == shrunk.result);
  }
  REQUIRE(found > 5);
}

}  // namespace

TEST_CASE("shrinking: what always fails becomes the plainest case", "[gen][shrink]") {
  // Literal data stay literal: they are their own smallest description.
  require_minimum([](const Case& c) { return c.data.empty() && c.rows > 0 && c.cols > 0; }, "logsumexp f32 rows=1 cols=1 fill=constant");
  require_minimum([](const Case& c) { return !c.data.empty(); }, "logsumexp f32 rows=1 cols=1 data=[[0]]");
}

TEST_CASE("shrinking: a failure that begins at a width ends at that width", "[gen][shrink]") {
  for (const std::int64_t width : {2, 33, 129, 771, 1025, 5000}) {
    require_minimum([=](const Case& c) { return c.data.empty() && c.rows > 0 && c.cols >= width; },
                    "logsumexp f32 rows=1 cols=" + std::to_string(width) + " fill=constant");
  }
}

TEST_CASE("shrinking: a failure in the tail keeps a tail", "[gen][shrink]") {
  require_minimum([](const Case& c) { return c.data.empty() && c.rows > 0 && c.cols > 8 && c.cols % 4 != 0; },
                  "logsumexp f32 rows=1 cols=9 fill=constant");
}

TEST_CASE("shrinking: a failure of rows keeps as many rows as it needs", "[gen][shrink]") {
  require_minimum([](const Case& c) { return c.data.empty() && c.cols > 0 && c.rows >= 3; }, "logsumexp f32 rows=3 cols=1 fill=constant");
}

TEST_CASE("shrinking: stride, layout, phase, dtype, fill and parameters survive only where they matter", "[gen][shrink]") {
  require_minimum([](const Case& c) { return c.data.empty() && c.rows > 1 && c.cols > 1 && c.col_stride == 1 && c.row_stride > c.cols; },
                  "logsumexp f32 rows=2 cols=2 stride=3 fill=constant");
  require_minimum([](const Case& c) { return c.data.empty() && c.rows > 1 && c.cols > 0 && c.row_stride > (std::int64_t{1} << 31); },
                  [] {
                    Case c;
                    set_shape(c, 2, 1);
                    c.row_stride = (std::int64_t{1} << 31) + 1;
                    c.fill = "constant";
                    return to_line(c);
                  }());
  require_minimum([](const Case& c) { return c.data.empty() && c.rows > 0 && c.cols > 0 && c.phase >= 5; },
                  "logsumexp f32 rows=1 cols=1 phase=5 fill=constant");
  require_minimum([](const Case& c) { return c.data.empty() && c.rows > 0 && c.cols > 0 && c.dtype == PLUSMAX_BF16; },
                  "logsumexp bf16 rows=1 cols=1 fill=constant");
  require_minimum([](const Case& c) { return c.data.empty() && c.rows > 0 && c.cols > 0 && c.fill == "plateau"; },
                  "logsumexp f32 rows=1 cols=1 fill=plateau");
}

TEST_CASE("shrinking: one patch remains of several, in the first place and at the plainest value", "[gen][shrink]") {
  const auto has_nan = [](const Case& c) { return std::any_of(c.set.begin(), c.set.end(), [](const Patch& p) { return std::isnan(p.value); }); };
  require_minimum(has_nan, "logsumexp f32 rows=1 cols=1 fill=constant set=0:0=nan");
  const auto last_is_infinite = [](const Case& c) {
    return std::any_of(c.set.begin(), c.set.end(), [&](const Patch& p) { return c.cols > 4 && p.col == c.cols - 1 && p.value == -INFINITY; });
  };
  require_minimum(last_is_infinite, "logsumexp f32 rows=1 cols=5 fill=constant set=0:4=-inf");
}

TEST_CASE("shrinking: literal data lose the rows and columns that do not matter", "[gen][shrink]") {
  const Case c = parse_case("logsumexp f16 rows=3 cols=4 data=[[1,2,3,4],[5,nan,7.5,-8.25],[9,10,11,12]]");
  const auto fails = [](const Case& n) {
    return std::any_of(n.data.begin(), n.data.end(),
                       [](const auto& row) { return std::any_of(row.begin(), row.end(), [](double v) { return v < -1; }); });
  };
  const Shrunk shrunk = shrink(c, fails, {});
  REQUIRE(shrunk.complete);
  REQUIRE(shrunk.result.rows == 1);
  REQUIRE(shrunk.result.cols == 1);
  REQUIRE(to_line(shrunk.result) == "logsumexp f32 rows=1 cols=1 data=[[-2]]");
}

TEST_CASE("shrinking: every candidate is valid and is another case", "[gen][shrink]") {
  for (std::uint64_t key = 0; key < 300; ++key) {
    const Case c = draw_case("logsumexp", {}, key, static_cast<int>(key % 101));
    for (const Case& next : simpler(c)) {
      INFO(to_line(c) << " -> " << to_line(next));
      REQUIRE(!(next == c));
      REQUIRE(parse_case(to_line(next)) == next);
    }
  }
}

TEST_CASE("shrinking: the step budget is kept, and the result still fails", "[gen][shrink]") {
  const Case c = parse_case("logsumexp bf16 rows=8 cols=4099 stride=5001 fill=plateau depth=3.3 seed=7 set=1:2=nan,3:4=inf");
  std::size_t calls = 0;
  const auto fails = [&](const Case& n) {
    ++calls;
    return n.cols >= 1000;
  };
  ShrinkLimits limits;
  limits.steps = 25;
  const Shrunk shrunk = shrink(c, fails, limits);
  REQUIRE(!shrunk.complete);
  REQUIRE(calls == 25);
  REQUIRE(shrunk.tried == 25);
  REQUIRE(shrunk.result.cols >= 1000);
  limits.steps = 1000;
  limits.time = std::chrono::seconds(0);
  REQUIRE(to_line(shrink(c, fails, limits).result) == to_line(c));
  REQUIRE(shrink(c, fails, {}, [] { return true; }).tried == 0);
}

TEST_CASE("resizing: padding, layout and last-column patches stay", "[gen][shrink]") {
  const Case c = parse_case("logsumexp f32 rows=4 cols=10 stride=13 set=0:0=1,3:9=2,1:5=3");
  CHECK(to_line(with_cols(c, 6)) == "logsumexp f32 rows=4 cols=6 stride=9 set=0:0=1,1:5=3,3:5=2");
  CHECK(to_line(with_rows(c, 2)) == "logsumexp f32 rows=2 cols=10 stride=13 set=0:0=1,1:5=3,1:9=2");
  CHECK(to_line(without_first_row(c)) == "logsumexp f32 rows=3 cols=10 stride=13 set=0:5=3,2:9=2");
  const Case transposed = parse_case("logsumexp f32 rows=4 cols=3 stride=1 col_stride=6");
  CHECK(to_line(with_rows(transposed, 2)) == "logsumexp f32 rows=2 cols=3 stride=1 col_stride=4");
  CHECK(to_line(with_cols(transposed, 2)) == "logsumexp f32 rows=4 cols=2 stride=1 col_stride=6");
}
