#include "properties/gen/bridge.hpp"

#include "tests/rapidcheck.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace plusmax;
using namespace plusmax::properties;
using namespace plusmax::properties::gen;
using plusmax::tests::for_all;

namespace {

const std::function<Finding(const Case&)> kWide = [](const Case& c) {
  return c.rows > 0 && c.cols >= 65 ? Finding::fail("too wide", "warp_per_row") : Finding::ok();
};

PropertyReport check(std::string_view name, int cases, const std::function<Finding(const Case&)>& property, PropertySettings settings = {}) {
  return check_property(name, cases, settings, gen::cases("logsumexp"), property);
}

std::vector<std::string> lines_of(std::string_view name, PropertySettings settings) {
  std::vector<std::string> lines;
  check(name, 50, [&](const Case& c) { return lines.push_back(to_line(c)), Finding::ok(); }, settings);
  return lines;
}

}  // namespace

TEST_CASE("bridge: a property that holds passes, with as many cases as asked", "[gen][bridge]") {
  const PropertyReport report = check("holds", 150, [](const Case&) { return Finding::ok(); });
  CHECK(report.passed);
  CHECK(report.cases == 150);
  CHECK(report.message.empty());
}

TEST_CASE("bridge: a failure names the shrunk case, the reason, the replay command and the seed", "[gen][bridge]") {
  const PropertyReport report = check("rows are narrow", 500, kWide);
  REQUIRE(!report.passed);
  REQUIRE(report.has_counterexample);
  INFO(report.message);
  CHECK(report.counterexample.cols == 65);
  CHECK(report.counterexample.rows == 1);
  CHECK(!report.flaky);
  CHECK(report.message.find("rows are narrow") != std::string::npos);
  CHECK(report.message.find("too wide") != std::string::npos);
  CHECK(report.message.find("plusmax replay 'logsumexp f32 rows=1 cols=65 fill=constant' --variant warp_per_row") != std::string::npos);
  CHECK(report.message.find("PLUSMAX_SEED=" + std::to_string(kDefaultSeed)) != std::string::npos);
}

TEST_CASE("bridge: the printed seed gives the same counterexample again", "[gen][bridge]") {
  const auto odd = [](const Case& c) { return c.seed % 7 == 3 && c.cols > 20 ? Finding::fail("odd") : Finding::ok(); };
  PropertySettings settings;
  settings.seed = 99;
  const PropertyReport first = check("odd", 500, odd, settings), second = check("odd", 500, odd, settings);
  REQUIRE(first.has_counterexample);
  CHECK(first.message == second.message);
  CHECK(first.counterexample == second.counterexample);
  CHECK(first.cases == second.cases);
}

TEST_CASE("bridge: a property draws by seed and name, so others do not change its data", "[gen][bridge]") {
  PropertySettings one, two;
  two.seed = one.seed + 1;
  CHECK(lines_of("a", one) == lines_of("a", one));
  CHECK(lines_of("a", one) != lines_of("b", one));
  CHECK(lines_of("a", one) != lines_of("a", two));
}

TEST_CASE("bridge: nothing passes on 0 cases", "[gen][bridge]") {
  const PropertyReport none = check("never applies", 100, [](const Case&) { return Finding::not_applicable("no such case"); });
  CHECK(!none.passed);
  CHECK(none.cases == 0);
  INFO(none.message);
  CHECK(none.message.find("no such case") != std::string::npos);
  CHECK(!check("asks for none", 0, [](const Case&) { return Finding::ok(); }).passed);
}

TEST_CASE("bridge: cases that do not apply are not counted", "[gen][bridge]") {
  int applied = 0;
  const PropertyReport report = check("f32 only", 60, [&](const Case& c) {
    if (c.dtype != PLUSMAX_F32) return Finding::not_applicable();
    ++applied;
    return Finding::ok();
  });
  CHECK(report.passed);
  CHECK(report.cases == 60);
  CHECK(applied == 60);
}

TEST_CASE("bridge: an exception is a failure with its words", "[gen][bridge]") {
  const PropertyReport report = check("throws", 50, [](const Case&) -> Finding { throw std::runtime_error("device is gone"); });
  REQUIRE(!report.passed);
  CHECK(report.message.find("device is gone") != std::string::npos);
}

TEST_CASE("bridge: a failure that does not come back is called flaky", "[gen][bridge]") {
  bool failed = false;
  const PropertyReport report = check("fails once", 50, [&](const Case& c) {
    if (failed || c.cols < 3) return Finding::ok();
    failed = true;
    return Finding::fail("once");
  });
  REQUIRE(!report.passed);
  CHECK(report.flaky);
  CHECK(report.message.find("flaky") != std::string::npos);
}

TEST_CASE("bridge: the scale multiplies the number of cases", "[gen][bridge]") {
  PropertySettings settings;
  settings.scale = 0.1;
  CHECK(check("scaled", 100, [](const Case&) { return Finding::ok(); }, settings).cases == 10);
  settings.scale = 1e-6;
  CHECK(check("scaled", 100, [](const Case&) { return Finding::ok(); }, settings).cases == 1);
}

TEST_CASE("bridge: settings are read from the environment, and bad ones refused in one line", "[gen][bridge]") {
  CHECK(settings_from(nullptr, nullptr, nullptr).seed == kDefaultSeed);
  CHECK(settings_from("7", "2.5", nullptr).seed == 7);
  CHECK(settings_from("0xff", nullptr, nullptr).seed == 255);
  CHECK(settings_from("18446744073709551615", nullptr, nullptr).seed == ~std::uint64_t{0});
  CHECK(settings_from("7", "2.5", nullptr).scale == 2.5);
  for (const char* bad : {"", "x", "-1", "1.5", "7 ", "0x", "18446744073709551616"}) {
    INFO(bad);
    CHECK_THROWS_AS(settings_from(bad, nullptr, nullptr), UsageError);
  }
  for (const char* bad : {"", "0", "-1", "nan", "inf", "1e7", "2x"}) {
    INFO(bad);
    CHECK_THROWS_AS(settings_from(nullptr, bad, nullptr), UsageError);
  }
  CHECK_THROWS_WITH(settings_from("x", nullptr, nullptr), "PLUSMAX_SEED='x' is no unsigned 64-bit number: use one such as 20260101");
}

TEST_CASE("bridge: RC_PARAMS is refused, not half read", "[gen][bridge]") {
  CHECK_THROWS_WITH(settings_from(nullptr, nullptr, "sed=7"),
                    "RC_PARAMS='sed=7' is not read here: unset it and use PLUSMAX_SEED and PLUSMAX_FUZZ_SCALE");
}

TEST_CASE("bridge: RapidCheck shows a case as its line and shrinks within its budget", "[gen][bridge]") {
  const Case c = parse_case("logsumexp bf16 rows=8 cols=4099 fill=plateau seed=5");
  std::ostringstream text;
  rc::show(c, text);
  CHECK(text.str() == to_line(c));

  std::size_t tried = 0;
  auto node = shrinkable_case(c, 100);
  for (bool found = true; found;) {
    found = false;
    auto shrinks = node.shrinks();
    while (auto next = shrinks.next()) {
      ++tried;
      if (next->value().cols < 300) continue;
      node = *next;
      found = true;
      break;
    }
  }
  CHECK(tried <= 100);
  CHECK(node.value().rows == 1);
}

TEST_CASE("case lines: parsing what was printed gives the same case", "[gen][bridge]") {
  for_all("case lines: parsing what was printed gives the same case", 2000, [](const Case& c) {
    return parse_case(to_line(c)) == c ? Finding::ok() : Finding::fail(to_line(parse_case(to_line(c))));
  });
}
