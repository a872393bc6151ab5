#include "properties/fill.hpp"

#include "reference/dtype.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace plusmax::properties;
using plusmax::reference::largest;
using plusmax::reference::round_to;

namespace {

std::vector<double> row_of(const Case& c, std::int64_t row = 0) {
  std::vector<double> out(static_cast<std::size_t>(c.cols));
  fill_row(c, row, out.data());
  return out;
}
std::vector<double> row_of(const std::string& line, std::int64_t row = 0) { return row_of(parse_case(line), row); }

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

constexpr plusmax_dtype kDtypes[] = {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64};
// Those that write NaN or infinities on purpose.
const std::set<std::string> kInfinite = {"special", "masked", "only_last_finite", "first_half_negative_infinity"};

}  // namespace

TEST_CASE("fill: there are at least 20, each with a sentence and no parameter that hides a key", "[fill]") {
  const std::set<std::string> keys = {"rows",  "cols", "stride", "col_stride", "out_stride",
                                      "phase", "fill", "seed",   "set",        "data"};
  CHECK(fills::all().size() >= 20);
  for (const Fill* fill : fills::all()) {
    INFO(fill->name);
    const std::string sentence = fill->exposes;
    CHECK(sentence.size() > 20);
    CHECK(sentence.back() == '.');
    CHECK(find_fill(fill->name) == fill);
    for (const FillParameter& parameter : fill->parameters) {
      INFO(parameter.name);
      CHECK(keys.count(parameter.name) == 0);
      CHECK(std::string(parameter.meaning).size() > 3);
      CHECK(parameter.initial >= parameter.least);
      CHECK(parameter.initial <= parameter.most);
    }
  }
  CHECK(find_fill("nothing") == nullptr);
}

TEST_CASE("fill: every fill writes every width in every dtype, rounded, finite unless it says otherwise", "[fill]") {
  for (const Fill* fill : fills::all())
    for (const plusmax_dtype dtype : kDtypes)
      for (const std::int64_t cols : {0, 1, 2, 3, 8, 33, 130}) {
        Case c;
        c.dtype = dtype;
        c.fill = fill->name;
        c.seed = 11;
        set_shape(c, 30, cols);
        INFO(to_line(c));
        for (const std::int64_t row : {0, 1, 29}) {
          // a sentinel that no fill writes: everything must be written
          std::vector<double> out(static_cast<std::size_t>(cols) + 1, 0x1.23456789p999);
          fill_row(c, row, out.data());
          REQUIRE(out.back() == 0x1.23456789p999);
          out.pop_back();
          for (const double value : out) {
            REQUIRE(value != 0x1.23456789p999);
            if (std::isnan(value) || std::isinf(value)) {
              REQUIRE(kInfinite.count(fill->name) == 1);
              continue;
            }
            REQUIRE(std::fabs(value) <= largest(dtype));
            REQUIRE(round_to(dtype, value) == value);
          }
          REQUIRE(same_bits(out, row_of(c, row)));
        }
      }
}

TEST_CASE("fill: random fills change with the seed and the row, and do not depend on the order", "[fill]") {
  const auto a = row_of("logsumexp f32 rows=4 cols=100 seed=1", 2);
  CHECK_FALSE(same_bits(a, row_of("logsumexp f32 rows=4 cols=100 seed=2", 2)));
  CHECK_FALSE(same_bits(a, row_of("logsumexp f32 rows=4 cols=100 seed=1", 1)));
  // neither the number of rows nor the layout is part of the data
  CHECK(same_bits(a, row_of("logsumexp f32 rows=9 cols=100 stride=300 phase=5 seed=1", 2)));
}

TEST_CASE("fill: values beyond the dtype are clipped to its finite range", "[fill]") {
  CHECK(row_of("logsumexp f16 rows=1 cols=2 fill=constant value=1e5") == std::vector<double>{65504, 65504});
  CHECK(row_of("logsumexp f16 rows=1 cols=1 fill=constant value=-1e300") == std::vector<double>{-65504});
  CHECK(row_of("logsumexp f16 rows=1 cols=1 fill=constant value=inf")[0] == HUGE_VAL);
  CHECK(row_of("logsumexp bf16 rows=1 cols=1 fill=constant value=1e39")[0] == largest(PLUSMAX_BF16));
}

TEST_CASE("fill: data and set are rounded to the dtype, NaN and infinities kept", "[fill]") {
  CHECK(row_of("logsumexp bf16 data=[[1.00001,-0.1]]") == std::vector<double>{1, -0.10009765625});
  CHECK(row_of("logsumexp f64 data=[[1.00001,-0.1]]") == std::vector<double>{1.00001, -0.1});
  const auto set = row_of("logsumexp f32 rows=2 cols=4 fill=constant value=7 set=1:0=nan,1:3=-inf,0:1=5,1:2=0.1", 1);
  CHECK(std::isnan(set[0]));
  CHECK(set[1] == 7);
  CHECK(set[2] == 0.1f);
  CHECK(set[3] == -HUGE_VAL);
}

TEST_CASE("fill: stride 0 gives row 0 for every row", "[fill]") {
  const Case repeated = parse_case("logsumexp f32 rows=3 cols=5 stride=0 seed=3 set=0:2=9");
  CHECK(row_of(repeated, 2) == row_of(repeated, 0));
  CHECK(row_of(repeated, 2)[2] == 9);
}

TEST_CASE("fill: a row outside the case is an error", "[fill]") {
  double out[1];
  CHECK_THROWS_AS(fill_row(parse_case("logsumexp f32 rows=2 cols=1"), 2, out), std::out_of_range);
  CHECK_THROWS_AS(fill_row(parse_case("logsumexp f32 rows=2 cols=1"), -1, out), std::out_of_range);
}

TEST_CASE("fill: spikes64 puts every column among the spikes of exactly one row", "[fill]") {
  for (const int cols : {1, 63, 64, 65, 127, 128, 129, 1000, 4099}) {
    const std::string shape =
        "logsumexp bf16 rows=" + std::to_string((cols + 63) / 64) + " cols=" + std::to_string(cols);
    for (const char* start : {"0", "7"}) {
      const Case c = parse_case(shape + " fill=spikes64 start=" + start);
      std::vector<int> hits(static_cast<std::size_t>(cols));
      for (std::int64_t row = 0; row < c.rows; ++row) {
        const auto values = row_of(c, row);
        int spikes = 0;
        for (std::size_t j = 0; j < values.size(); ++j) {
          hits[j] += values[j] == 0;
          spikes += values[j] == 0;
          CHECK((values[j] == 0 || values[j] == -60));
        }
        CHECK(spikes <= 64);
      }
      INFO(to_line(c));
      CHECK(std::count(hits.begin(), hits.end(), 1) == cols);
    }
  }
}

TEST_CASE("fill: the families have the shape that their names promise", "[fill]") {
  const auto plateau = row_of("logsumexp f32 rows=1 cols=99 fill=plateau column=98 depth=0.5");
  CHECK(plateau.back() == 0);
  CHECK(std::count(plateau.begin(), plateau.end(), -0.5) == 98);
  const auto ramp = row_of("logsumexp f64 rows=1 cols=4 fill=ramp range=8 centre=1");
  CHECK(ramp == std::vector<double>{-3, -1, 1, 3});
  CHECK(row_of("logsumexp f64 rows=1 cols=4 fill=ramp range=8 centre=1 descending=1") ==
        std::vector<double>{3, 1, -1, -3});
  CHECK(row_of("logsumexp f32 rows=1 cols=3 fill=spike") == std::vector<double>{30, 19.5, 19.5});
  CHECK(row_of("logsumexp f32 rows=1 cols=3 fill=alternating value=2") == std::vector<double>{-2, 2, -2});
  CHECK(row_of("logsumexp f32 rows=1 cols=5 fill=max_position column=1 step=2") == std::vector<double>{8, 10, 8, 6, 4});
  CHECK(row_of("logsumexp f32 rows=9 cols=2 fill=row_cycle period=2 step=50", 7) == std::vector<double>{50, 50});
  CHECK(row_of("logsumexp f32 rows=9 cols=2 fill=one_row row=7 value=3", 7) == std::vector<double>{3, 3});
  CHECK(row_of("logsumexp f32 rows=9 cols=2 fill=one_row row=7 value=3", 6) == std::vector<double>{0, 0});
  const auto half = row_of("logsumexp f32 rows=1 cols=9 fill=first_half_negative_infinity");
  CHECK(std::count(half.begin(), half.end(), -HUGE_VAL) == 4);
  CHECK(half[3] == -HUGE_VAL);
  const auto last = row_of("logsumexp f32 rows=1 cols=9 fill=only_last_finite");
  CHECK(std::count(last.begin(), last.end(), -HUGE_VAL) == 8);
  CHECK(last[8] == 2.5);
  const auto duplicated = row_of("logsumexp f32 rows=1 cols=16 fill=duplicated period=8");
  CHECK(std::equal(duplicated.begin(), duplicated.begin() + 8, duplicated.begin() + 8));
  const Case modular = parse_case("logsumexp f32 rows=136000 cols=8 fill=modular");
  for (const std::int64_t r : {0, 1, 16, 17, 135999})
    for (std::int64_t j = 0; j < 8; ++j)
      CHECK(row_of(modular, r)[static_cast<std::size_t>(j)] == static_cast<double>((37 * r + 11 * j) % 17) / 4);
  for (const double value : row_of("logsumexp f64 rows=1 cols=999 fill=integers low=-3 high=4")) {
    CHECK(value == std::floor(value));
    CHECK((value >= -3 && value <= 4));
  }
  for (const double value : row_of("logsumexp f64 rows=1 cols=999 fill=uniform low=80 high=100"))
    CHECK((value >= 80 && value < 100));
}

TEST_CASE("fill: the one large logit stands where its fill says, above all others", "[fill]") {
  const auto argmax = [](const std::vector<double>& x) { return std::max_element(x.begin(), x.end()) - x.begin(); };
  const auto last = row_of("logsumexp f32 rows=1 cols=100 fill=max_last");
  CHECK((argmax(last) == 99 && last[99] == 25));
  const auto first = row_of("logsumexp f32 rows=1 cols=100 fill=max_first");
  CHECK((argmax(first) == 0 && first[0] == 25));
  const auto peak = row_of("logsumexp f32 rows=1 cols=100 fill=peak column=7");
  CHECK((argmax(peak) == 7 && peak[7] == 60));
  const auto offset = row_of("logsumexp f32 rows=1 cols=100 fill=offset value=1e4 sigma=1 peak=16 column=3");
  CHECK((argmax(offset) == 3 && offset[3] == 10016));
  CHECK(*std::min_element(offset.begin(), offset.end()) > 9990);
  // a column beyond the row is its last one; the seed moves a column that is not given
  CHECK(row_of("logsumexp f32 rows=1 cols=9 fill=peak column=1000")[8] == 60);
  std::set<std::ptrdiff_t> columns;
  for (std::int64_t row = 0; row < 50; ++row)
    columns.insert(argmax(row_of("logsumexp f32 rows=50 cols=100 fill=plateau", row)));
  CHECK(columns.size() > 30);
}

TEST_CASE("fill: the random families have the spread that their names promise", "[fill]") {
  constexpr double kCount = 10000;
  const auto share = [&](const std::string& tail, auto predicate) {
    const auto x = row_of("logsumexp f64 rows=1 cols=10000 " + tail);
    return static_cast<double>(std::count_if(x.begin(), x.end(), predicate)) / kCount;
  };
  constexpr double kSlack = 6 * 0.5 / 100;  // six standard deviations of a share of 10000
  CHECK(std::fabs(share("fill=masked share=0.2", [](double v) { return v == -HUGE_VAL; }) - 0.2) < kSlack);
  CHECK(std::fabs(share("fill=two_clusters", [](double v) { return std::fabs(v) < 1; }) - 0.5) < kSlack);
  CHECK(std::fabs(share("fill=two_clusters", [](double v) { return std::fabs(v + 8) < 1; }) - 0.5) < kSlack);
  CHECK(share("fill=tiny_range", [](double v) { return v >= 8 && v <= 8 + 1e-5; }) == 1);
  CHECK(std::fabs(share("fill=huge positive=0.7", [](double v) { return v > 0; }) - 0.7) < kSlack);
  CHECK(share("fill=huge", [](double v) { return std::fabs(v) >= largest(PLUSMAX_F64) / 8; }) == 1);
  CHECK(std::fabs(share("sigma=3 mean=10", [](double v) { return v > 13; }) - 0.158655) < kSlack);
  // Cauchy: half lie beyond +-1, and 2 / (pi limit) beyond a large limit
  CHECK(std::fabs(share("fill=heavy_tail", [](double v) { return std::fabs(v) > 1; }) - 0.5) < kSlack);
  CHECK(share("fill=heavy_tail limit=5", [](double v) { return std::fabs(v) == 5; }) > 0.05);
  CHECK(share("fill=heavy_tail limit=5", [](double v) { return std::fabs(v) <= 5; }) == 1);
}

TEST_CASE("fill: lse_near_zero and peak_label hit what they aim at", "[fill]") {
  double sum = 0;
  for (const double x : row_of("logsumexp f64 rows=1 cols=4099 fill=lse_near_zero")) sum += std::exp(x);
  CHECK(std::fabs(std::log(sum)) < 1e-4);
  const auto peak = row_of("logsumexp f64 rows=1 cols=128256 fill=peak_label one_minus_p=1e-3 seed=5");
  const double top = *std::max_element(peak.begin(), peak.end());
  double rest = -1;
  for (const double x : peak) rest += std::exp(x - top);
  CHECK(rest == Approx(1e-3).epsilon(0.05));
}

TEST_CASE("fill: special cycles through every class of row", "[fill]") {
  const Case c = parse_case("logsumexp f16 rows=50 cols=37 fill=special");
  int nan_rows = 0, all_negative = 0, positive = 0, both = 0, subnormal = 0, negative_zero = 0;
  std::set<std::size_t> nan_at;
  for (std::int64_t row = 0; row < 25; ++row) {
    const auto x = row_of(c, row);
    const bool nan = std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
    const bool inf = std::any_of(x.begin(), x.end(), [](double v) { return v == HUGE_VAL; });
    nan_rows += nan, positive += inf, both += nan && inf;
    all_negative += std::count(x.begin(), x.end(), -HUGE_VAL) == 37;
    subnormal += std::count(x.begin(), x.end(), 0x1p-24) > 0;
    negative_zero += std::any_of(x.begin(), x.end(), [](double v) { return v == 0 && std::signbit(v); });
    for (std::size_t j = 0; j < x.size(); ++j)
      if (std::isnan(x[j]) && !inf) nan_at.insert(j);
    if (!nan)
      CHECK(same_bits(row_of(parse_case("logsumexp f16 rows=50 cols=37 fill=special start=24"), row + 1),
                      row_of(c, row)) == same_bits(x, row_of(c, row + 25)));
  }
  CHECK(nan_rows == 8);
  CHECK(all_negative == 1);
  CHECK(positive >= 8);
  CHECK(both == 2);
  CHECK(subnormal == 2);
  CHECK(negative_zero == 2);
  for (const std::size_t j : {0, 32, 36}) CHECK(nan_at.count(j) == 1);
}
