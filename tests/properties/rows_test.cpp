#include "properties/rows.hpp"
#include "tests/catch.hpp"

#include <algorithm>

using namespace plusmax;
using namespace plusmax::properties;

TEST_CASE("rows: equal rows share one reference", "[rows]") {
  const Rows rows(PLUSMAX_F32, 4, 2, std::vector<double>{1, 2, 3, 4, 1, 2, 2, 1});
  CHECK(rows.identity(0) == rows.identity(2));
  CHECK(rows.identity(0) != rows.identity(1));
  CHECK(rows.identity(0) != rows.identity(3));
  CHECK(&rows.exact(0) == &rows.exact(2));
  CHECK(rows.exact(1).max == 4);
}

TEST_CASE("rows: data written when needed are the data held in memory", "[rows]") {
  const Case of = parse_case("logsumexp bf16 rows=5 cols=37 seed=3");
  const auto held = rows_of(of);
  const Rows streamed(of.dtype, of.rows, of.cols, [&](std::int64_t r, double* out) { fill_row(of, r, out); });
  std::vector<double> one, other;
  for (std::int64_t r = 0; r < of.rows; ++r) {
    const auto a = held->row(r, one), b = streamed.row(r, other);
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    CHECK(held->exact(r).lse.hi == streamed.exact(r).lse.hi);
  }
}

TEST_CASE("rows: cases that differ only in their layout share their data", "[rows]") {
  const auto plain = rows_of(parse_case("logsumexp f32 rows=3 cols=7 seed=3"));
  CHECK(plain == rows_of(parse_case("logsumexp f32 rows=3 cols=7 stride=9 out_stride=2 seed=3")));
  CHECK(plain != rows_of(parse_case("logsumexp f32 rows=3 cols=7 seed=4")));
}

TEST_CASE("rows: with row_stride 0 every row is the first one", "[rows]") {
  const auto rows = rows_of(parse_case("logsumexp f32 rows=3 cols=7 stride=0 seed=3"));
  CHECK(rows->identity(2) == rows->identity(0));
}

TEST_CASE("rows: a sample holds the first and the last row and no row twice", "[rows]") {
  CHECK(sample_rows(0, 4).empty());
  CHECK(sample_rows(3, 4) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(sample_rows(1000, 4) == std::vector<std::int64_t>{0, 333, 666, 999});
  CHECK(sample_rows(1000, 1) == std::vector<std::int64_t>{0});
}
