#include "properties/case.hpp"

#include "properties/fill.hpp"
#include "properties/number.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <cstring>
#include <limits>

using namespace plusmax::properties;

namespace {

std::string refusal(const std::string& line) {
  try {
    return "accepted as " + to_line(parse_case(line));
  } catch (const UsageError& error) {
    return error.what();
  }
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("case: a line that is already short comes back unchanged", "[case]") {
  for (const std::string line : {
           "logsumexp f32 rows=1 cols=1",
           "logsumexp bf16 rows=8 cols=128256 stride=128320 fill=plateau depth=9.5 seed=7",
           "logsumexp f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]]",
           "logsumexp f32 rows=1 cols=100000 fill=constant set=0:5=8,0:9=nan",
           "logsumexp f64 rows=4 cols=3 stride=1 col_stride=4 out_stride=2 phase=3 seed=18446744073709551615",
           "logsumexp f16 rows=0 cols=10",
           "logsumexp f16 rows=10 cols=0",
           "logsumexp f32 rows=3 cols=0 data=[[],[],[]]",
           "logsumexp f32 rows=5 cols=7 stride=0",
           "logsumexp f32 rows=1 cols=4 data=[[nan,-0,0.1,-inf]]",
       })
    CHECK(to_line(parse_case(line)) == line);
}

TEST_CASE("case: defaults, blanks, powers and hexadecimal numbers are normalised", "[case]") {
  CHECK(to_line(parse_case("  logsumexp  f32 cols=3 rows=2 stride=3 seed=0x10 fill=normal sigma=1 mean=0 ")) ==
        "logsumexp f32 rows=2 cols=3 seed=16");
  CHECK(to_line(parse_case("logsumexp bf16 rows=1025 cols=8 stride=2^21")) ==
        "logsumexp bf16 rows=1025 cols=8 stride=2097152");
  CHECK(to_line(parse_case("logsumexp f32 data=[[0x1.8p1, +INF], [-Infinity,NaN]]")) ==
        "logsumexp f32 rows=2 cols=2 data=[[3,inf],[-inf,nan]]");
  CHECK(parse_case("logsumexp f32 rows=1 cols=9 fill=offset sigma=0 value=-110").parameters ==
        std::vector<std::pair<std::string, double>>{{"sigma", 0}, {"value", -110}});
}

TEST_CASE("case: what cannot be used is refused in one line with the values and a way out", "[case]") {
  const std::pair<std::string, std::string> refusals[] = {
      {"", "empty case line"},
      {"logsumexpp f32 rows=1 cols=1", "unknown operation 'logsumexpp': did you mean 'logsumexp'?"},
      {"frobnicate f32 rows=1 cols=1", "unknown operation 'frobnicate': use cross_entropy, linear_cross_entropy or logsumexp"},
      {"logsumexp", "the dtype is missing"},
      {"logsumexp fp32 rows=1 cols=1", "unknown dtype 'fp32': use f32, f16, bf16 or f64"},
      {"logsumexp f32 rows=1", "cols is missing"},
      {"logsumexp f32 rows=1 cosl=4 cols=4", "unknown key 'cosl': did you mean 'cols'?"},
      {"logsumexp f32 rows=1 cols=4 zzzzzz=1", "unknown key 'zzzzzz': use rows, cols"},
      {"logsumexp f32 rows=1 cols=4 cols=4", "key 'cols' is given twice"},
      {"logsumexp f32 rows=1 cols=4 fill=plateu", "unknown fill 'plateu': did you mean 'plateau'?"},
      {"logsumexp f32 rows=1 cols=4 fill=plateau detph=3", "unknown key 'detph': did you mean 'depth'?"},
      {"logsumexp f32 rows=1 cols=4 depth=3", "fill normal has no parameter 'depth': use mean or sigma"},
      {"logsumexp f32 rows=1 cols=4 fill=normal sigma=-1", "sigma=-1 of fill normal: use a number from 0 to inf"},
      {"logsumexp f32 rows=1 cols=4 fill=plateau column=1.5", "use a whole number from -1"},
      {"logsumexp f32 rows=1 cols=4 fill=constant value=nan", "value=nan of fill constant"},
      {"logsumexp f32 rows=1 cols=4 sigma=big", "sigma='big': write a number"},
      {"logsumexp f32 rows=-1 cols=4", "rows -1: use 0 to 2^40"},
      {"logsumexp f32 rows=1 cols=-4", "cols -4: use 0 to 2^40"},
      {"logsumexp f32 rows=1 cols=2^41", "cols 2199023255552: use 0 to 2^40"},
      {"logsumexp f32 rows=2^25 cols=2^25", "rows 33554432 * cols 33554432 logits: use at most 2^40"},
      {"logsumexp f32 rows=2^25 cols=1 stride=2^25", "span more than 2^40"},
      {"logsumexp f32 rows=1 cols=2^40 col_stride=2^40", "use 0 to 2^40"},
      {"logsumexp f32 rows=2^25 cols=1 out_stride=2^25", "out_stride 33554432 span"},
      {"logsumexp f32 rows=1e3 cols=4", "rows='1e3': write a whole number"},
      {"logsumexp f32 rows=1 cols=99999999999999999999", "cols='99999999999999999999': write a whole number"},
      {"logsumexp f32 rows=2 cols=128 stride=100", "stride 100 < cols 128: rows would overlap"},
      {"logsumexp f32 rows=9 cols=9 stride=4 col_stride=6",
       "row 3, column 0 and row 0, column 2 would share an address"},
      {"logsumexp f32 rows=2 cols=2 stride=2 col_stride=0", "col_stride 0: use 1 to 2^40"},
      {"logsumexp f32 rows=2 cols=2 out_stride=0", "out_stride 0: use 1 to 2^40"},
      {"logsumexp f32 rows=1 cols=2 phase=64", "phase 64: use 0 to 63"},
      {"logsumexp f64 rows=1 cols=2 phase=-1", "phase -1: use 0 to 31"},
      {"logsumexp f32 rows=1 cols=2 seed=-1", "seed='-1': write a whole number from 0"},
      {"logsumexp f32 data=[[1,2],[1,2,3]]", "data: row 1 has 3 values, row 0 has 2"},
      {"logsumexp f32 data=[[1,2]", "data: expected ']' at its end"},
      {"logsumexp f32 data=[[1,2]]]", "data: expected the end before ']'"},
      {"logsumexp f32 data=[1,2]", "data: expected '[' before '1,2]'"},
      {"logsumexp f32 data=[[1,,2]]", "data: expected a number before ',2]]'"},
      {"logsumexp f32 data=[[1,x]]", "data: expected a number before 'x]]'"},
      {"logsumexp f32 data=[[1,2]] rows=2", "data: 1 rows of 2 values, but rows=2 cols=2"},
      {"logsumexp f32 data=[[1,2]] cols=3", "data: 1 rows of 2 values, but rows=1 cols=3"},
      {"logsumexp f32 data=[[1,2]] fill=plateau", "data together with fill='plateau'"},
      {"logsumexp f32 data=[[1,2]] set=0:0=1", "data together with set='0:0=1'"},
      {"logsumexp f32 data=[[1,2]] sigma=2", "unknown key 'sigma'"},
      {"logsumexp f16 data=[[1e6]]", "data: 1e+06 is beyond the largest f16, 65504"},
      {"logsumexp f16 rows=1 cols=1 set=0:0=-65520", "set 0:0: -65520 is beyond the largest f16"},
      {"logsumexp f32 rows=1 cols=4 set=0:4=1", "set 0:4 lies outside 1 rows of 4 columns"},
      {"logsumexp f32 rows=1 cols=4 set=-1:0=1", "set -1:0 lies outside"},
      {"logsumexp f32 rows=1 cols=4 set=0:0=1,0:0=2", "set 0:0 is given twice"},
      {"logsumexp f32 rows=1 cols=4 set=0:0", "set: cannot read '0:0'"},
      {"logsumexp f32 rows=1 cols=4 set=0:1=2,", "set: cannot read ''"},
      {"logsumexp f32 rows=2 cols=4 stride=0 set=1:0=1", "stride 0 repeats row 0"},
      {"logsumexp f32 data=[[1,2],[1,3]] stride=0", "data: row 1, column 1 differs"},
      {"logsumexp f32 rows=1 cols=4 trailing", "cannot read 'trailing'"},
      {"logsumexp f32 rows=1 cols=4 " + std::string(100, 'x'), "cannot read '" + std::string(60, 'x') + "...'"},
      {"logsumexp f32 data=[[1,\nx]]", "data: expected a number before 'x]]'"},
      {"logsumexp f32 rows=1 cols=4\x1b[1m", "byte 27 at position 27 of the case line"},
      {"logsumexp f32 rows=1 cols=4 =3", "cannot read '=3'"},
      {"logsumexp f32 rows=1 cols=", "cols='': write a whole number"},
  };
  for (const auto& [line, expected] : refusals) {
    INFO(line);
    const std::string got = refusal(line);
    INFO(got);
    CHECK(contains(got, expected));
    CHECK_FALSE(contains(got, "\n"));
  }
}

TEST_CASE("case: strided layouts are refused just if two elements share an address", "[case]") {
  for (int rows = 1; rows <= 5; ++rows)
    for (int cols = 1; cols <= 5; ++cols)
      for (int a = 1; a <= 7; ++a)
        for (int b = 1; b <= 7; ++b) {
          std::vector<int> hits(60);
          bool shared = false;
          for (int r = 0; r < rows; ++r)
            for (int c = 0; c < cols; ++c) shared |= hits[static_cast<std::size_t>(r * a + c * b)]++ > 0;
          Case strided;
          set_shape(strided, rows, cols, b);
          strided.row_stride = a;
          INFO(to_line(strided));
          bool refused = false;
          try {
            validate(strided);
          } catch (const UsageError&) {
            refused = true;
          }
          REQUIRE(refused == shared);
        }
}

TEST_CASE("case: every case made in code reads back as itself", "[case]") {
  const Random random{2024};
  const double odd[] = {0.1,
                        -0.0,
                        1e-310,
                        1.7976931348623157e308,
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        std::nan("")};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto pick = [&](std::uint64_t stream, std::uint64_t count) {
      return static_cast<std::int64_t>(random.bits(i, stream) % count);
    };
    Case made;
    made.dtype = static_cast<plusmax_dtype>(pick(0, 4));
    set_shape(made, pick(1, 6), pick(2, 6), 1 + pick(3, 3));
    made.row_stride += 20 * pick(4, 2);
    made.lse_stride = 1 + pick(5, 3);
    made.phase = pick(6, 32);
    made.seed = random.bits(i, 7);
    const auto all = fills::all();
    if (pick(8, 2) == 0) {
      const Fill& fill = *all[static_cast<std::size_t>(pick(9, all.size()))];
      made.fill = fill.name;
      for (const FillParameter& parameter : fill.parameters)
        if (pick(10, 2) == 0) set_parameter(made, parameter.name, parameter.whole ? 1 : 0.5 * random.uniform(i, 11));
      if (made.rows > 0 && made.cols > 0 && pick(12, 2) == 0)
        made.set.push_back({0, 0, made.dtype == PLUSMAX_F64 ? odd[pick(13, 7)] : 0.3});
    } else if (made.rows > 0) {
      const double value = made.dtype == PLUSMAX_F64 ? odd[pick(13, 7)] : random.normal(i, 14);
      made.data.assign(static_cast<std::size_t>(made.rows),
                       std::vector<double>(static_cast<std::size_t>(made.cols), value));
    }
    try {
      validate(made);
    } catch (const UsageError&) {
      continue;  // a stride that overlaps
    }
    const Case back = parse_case(to_line(made));
    INFO(to_line(made));
    REQUIRE(to_line(back) == to_line(made));
    REQUIRE(back == made);
    REQUIRE(back.parameters == made.parameters);
    REQUIRE(back.seed == made.seed);
  }
}

TEST_CASE("number: every double reads back with the same bits", "[case]") {
  const Random random{7};
  for (std::uint64_t i = 0; i < 20000; ++i) {
    double value;
    const std::uint64_t bits = random.bits(i);
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    const auto back = parse_number(number_text(value));
    REQUIRE(back);
    if (std::isnan(value)) {
      REQUIRE(std::isnan(*back));
    } else {
      REQUIRE(std::memcmp(&*back, &value, sizeof value) == 0);
    }
  }
  for (const char* text :
       {"", "-", "+", "--1", "+-1", "1x", "0x", "0xg", "nan(1)", "in", "1 ", " 1", "e5", "2^3", "0x-1"})
    CHECK_FALSE(parse_number(text));
  for (const char* text : {"", "2^", "2^63", "2^-1", "3^2", "1.5", "+1", "9223372036854775808"})
    CHECK_FALSE(parse_integer(text));
  CHECK(number_text(-std::nan("")) == "nan");
  CHECK(parse_integer("2^62") == std::int64_t{1} << 62);
  CHECK(parse_unsigned("0xFFFFFFFFFFFFFFFF") == ~std::uint64_t{0});
}
