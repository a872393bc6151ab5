#include "properties/fill.hpp"
#include "properties/gen/generate.hpp"
#include "properties/random.hpp"
#include "reference/dtype.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

using namespace plusmax;
using namespace plusmax::properties;
using namespace plusmax::properties::gen;

namespace {

constexpr int kCases = 6000;

// Sizes as the fuzzer uses them: all, equally often.
const std::vector<Case>& sample() {
  static const std::vector<Case> all = [] {
    std::vector<Case> cases;
    for (int k = 0; k < kCases; ++k) cases.push_back(draw_case("logsumexp", {}, mix(7, static_cast<std::uint64_t>(k)), k % (kNominalSize + 1)));
    return cases;
  }();
  return all;
}

int count(const std::function<bool(const Case&)>& is) { return static_cast<int>(std::count_if(sample().begin(), sample().end(), is)); }

// Every value that a patch or literal data state.
bool states(const Case& c, const std::function<bool(double)>& is) {
  const auto in = [&](const std::vector<double>& row) { return std::any_of(row.begin(), row.end(), is); };
  return std::any_of(c.set.begin(), c.set.end(), [&](const Patch& p) { return is(p.value); }) || std::any_of(c.data.begin(), c.data.end(), in);
}

}  // namespace

TEST_CASE("generator: every case is valid", "[gen]") {
  for (const Case& c : sample()) {
    INFO(to_line(c));
    REQUIRE_NOTHROW(validate(c));
  }
}

TEST_CASE("generator: parsing the line of a case gives the case", "[gen]") {
  for (const Case& c : sample()) {
    const std::string line = to_line(c);
    INFO(line);
    const Case parsed = parse_case(line);
    REQUIRE(parsed == c);
    REQUIRE(parsed.row_stride == c.row_stride);
    REQUIRE(parsed.col_stride == c.col_stride);
    REQUIRE(parsed.parameters == c.parameters);
    REQUIRE(parsed.data.size() == c.data.size());
  }
}

TEST_CASE("generator: the same key gives the same case, another key another one", "[gen]") {
  std::set<std::string> lines;
  for (std::uint64_t key = 0; key < 200; ++key) {
    const Case c = draw_case("logsumexp", {}, key, 60);
    REQUIRE(c == draw_case("logsumexp", {}, key, 60));
    lines.insert(to_line(c));
  }
  REQUIRE(lines.size() > 190);
}

TEST_CASE("generator: every dtype and every fill comes often enough", "[gen]") {
  for (const auto dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64}) {
    INFO(reference::name_of(dtype));
    CHECK(count([&](const Case& c) { return c.dtype == dtype; }) > kCases / 10);
  }
  const auto fills = fills::all();
  REQUIRE(fills.size() > 10);
  for (const Fill* fill : fills) {
    INFO(fill->name);
    CHECK(count([&](const Case& c) { return c.data.empty() && c.fill == fill->name; }) > kCases / static_cast<int>(3 * fills.size()));
  }
}

TEST_CASE("generator: every parameter of every fill is drawn, with many values", "[gen]") {
  std::map<std::string, std::set<double>> seen;
  for (const Case& c : sample()) {
    for (const auto& [name, value] : c.parameters) seen[c.fill + "." + name].insert(value);
  }
  for (const Fill* fill : fills::all()) {
    for (const FillParameter& parameter : fill->parameters) {
      const auto id = std::string(fill->name) + "." + parameter.name;
      INFO(id);
      const bool binary = parameter.whole && parameter.most - parameter.least == 1;
      CHECK(seen[id].size() >= (binary ? 1u : 5u));
    }
  }
}

TEST_CASE("generator: the widths at which kernels change are hit", "[gen]") {
  std::map<std::int64_t, int> widths;
  for (const Case& c : sample()) ++widths[c.cols];
  for (const std::int64_t cols : {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024,
                                  1025, 2047, 2049, 4097, 4099, 20011}) {
    INFO("cols " << cols);
    CHECK(widths[cols] > 0);
  }
  CHECK(count([](const Case& c) { return c.cols > 30000; }) > 0);
  CHECK(count([](const Case& c) { return c.cols % 8 != 0; }) > kCases / 3);  // a tail after the vectors
  CHECK(widths.size() > 300);                                                // not a few widths over and over
}

TEST_CASE("generator: rows, strides, phases and layouts of every kind come", "[gen]") {
  for (const std::int64_t rows : {0, 1, 2, 3, 7, 8, 31, 32, 33}) {
    INFO("rows " << rows);
    CHECK(count([&](const Case& c) { return c.rows == rows; }) > 5);
  }
  const std::map<std::string, std::function<bool(const Case&)>> kinds = {
      {"contiguous", [](const Case& c) { return c.rows > 1 && c.cols > 1 && c.col_stride == 1 && c.row_stride == c.cols; }},
      {"one element of padding", [](const Case& c) { return c.rows > 1 && c.row_stride == c.cols + 1; }},
      {"odd padding", [](const Case& c) { return c.col_stride == 1 && c.row_stride > c.cols + 1 && (c.row_stride - c.cols) % 2 == 1; }},
      {"one row repeated", [](const Case& c) { return c.rows > 1 && c.row_stride == 0; }},
      {"beyond 2^31", [](const Case& c) { return c.rows > 1 && c.row_stride > (std::int64_t{1} << 31); }},
      {"transposed", [](const Case& c) { return c.rows > 1 && c.row_stride == 1 && c.col_stride >= c.rows; }},
      {"every second column", [](const Case& c) { return c.col_stride == 2 && c.row_stride >= 2 * c.cols; }},
      {"spread results", [](const Case& c) { return c.lse_stride > 1; }},
      {"aligned", [](const Case& c) { return c.phase == 0; }},
      {"one element off", [](const Case& c) { return c.phase == 1; }},
      {"last phase", [](const Case& c) { return (c.phase + 1) * static_cast<std::int64_t>(reference::size_of(c.dtype)) == 256; }}};
  for (const auto& [name, is] : kinds) {
    INFO(name);
    CHECK(count(is) > kCases / 100);
  }
}

TEST_CASE("generator: every special value is set, in first, last and tail positions", "[gen]") {
  const std::map<std::string, std::function<bool(double)>> specials = {
      {"nan", [](double v) { return std::isnan(v); }},
      {"+inf", [](double v) { return v == INFINITY; }},
      {"-inf", [](double v) { return v == -INFINITY; }},
      {"-0", [](double v) { return v == 0 && std::signbit(v); }},
      {"beyond 1e30", [](double v) { return std::isfinite(v) && std::fabs(v) > 1e30; }},
      {"subnormal of f32", [](double v) { return v != 0 && std::fabs(v) < 0x1p-126; }}};
  for (const auto& [name, is] : specials) {
    INFO(name);
    CHECK(count([&, &is = is](const Case& c) { return states(c, is); }) > 20);
  }
  const auto at = [](auto is) {
    return count([&](const Case& c) { return std::any_of(c.set.begin(), c.set.end(), [&](const Patch& p) { return is(c, p); }); });
  };
  CHECK(at([](const Case& c, const Patch& p) { return c.cols > 8 && p.col == 0; }) > 50);
  CHECK(at([](const Case& c, const Patch& p) { return c.cols > 8 && p.col == c.cols - 1; }) > 50);
  CHECK(at([](const Case& c, const Patch& p) { return c.cols > 8 && p.col >= c.cols - 8 && p.col < c.cols - 1; }) > 50);
  CHECK(at([](const Case& c, const Patch& p) { return c.rows > 1 && p.row == c.rows - 1; }) > 50);
}

TEST_CASE("generator: stated values are exact in the dtype", "[gen]") {
  for (const Case& c : sample()) {
    INFO(to_line(c));
    REQUIRE(!states(c, [&](double v) { return !std::isnan(v) && reference::round_to(c.dtype, v) != v; }));
  }
}

TEST_CASE("generator: size 0 is tiny, and nothing passes the limits", "[gen]") {
  CaseLimits limits;
  limits.max_rows = 9;
  limits.max_cols = 300;
  limits.max_logits = 1000;
  limits.max_span_bytes = 1 << 20;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const Case tiny = draw_case("logsumexp", {}, key, 0);
    INFO(to_line(tiny));
    REQUIRE(tiny.rows * tiny.cols <= 256);
    const Case c = draw_case("logsumexp", limits, key, static_cast<int>(key % 101));
    INFO(to_line(c));
    REQUIRE(c.rows <= limits.max_rows);
    REQUIRE(c.cols <= limits.max_cols);
    REQUIRE(c.rows * c.cols <= limits.max_logits);
    REQUIRE(span_bytes(c) <= limits.max_span_bytes);
  }
}

TEST_CASE("generator: limits below 1 are refused with their name", "[gen]") {
  CaseLimits limits;
  limits.max_cols = 0;
  REQUIRE_THROWS_WITH(require_valid(limits), "max_cols=0 allows no case: use at least 1");
}

TEST_CASE("mutation: a neighbour is valid, within the limits, and usually another case", "[gen]") {
  int changed = 0;
  CaseLimits limits;
  for (int k = 0; k < 2000; ++k) {
    const Case& c = sample()[static_cast<std::size_t>(k)];
    const Case next = mutate(c, limits, static_cast<std::uint64_t>(k));
    INFO(to_line(c) << " -> " << to_line(next));
    REQUIRE(next == mutate(c, limits, static_cast<std::uint64_t>(k)));
    REQUIRE(parse_case(to_line(next)) == next);
    REQUIRE(next.rows * next.cols <= std::max(limits.max_logits, c.rows * c.cols));
    REQUIRE(next.dtype == c.dtype);
    changed += !(next == c);
  }
  REQUIRE(changed > 1800);
}
