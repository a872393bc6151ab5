// Generated cases of cross_entropy: valid, readable, with every option.
#include "properties/gen/generate.hpp"
#include "properties/gen/shrink.hpp"
#include "properties/operation.hpp"
#include "properties/random.hpp"
#include "tests/catch.hpp"

#include <map>
#include <set>
#include <string>

using namespace plusmax::properties;
using namespace plusmax::properties::gen;

namespace {

Case drawn(std::uint64_t key) { return draw_case("cross_entropy", {}, mix(9, key), static_cast<int>(key % 101)); }

}  // namespace

TEST_CASE("generator: every case of cross_entropy is valid and reads back as itself", "[gen][cross_entropy]") {
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const Case c = drawn(key), next = mutate(c, {}, key);
    INFO(to_line(c) << " -> " << to_line(next));
    REQUIRE_NOTHROW(validate(c));
    REQUIRE(parse_case(to_line(c)) == c);
    REQUIRE(parse_case(to_line(c)).options == c.options);
    REQUIRE(parse_case(to_line(next)) == next);
    REQUIRE(drawn(key) == c);
  }
}

TEST_CASE("generator: every option of cross_entropy is drawn, with every word it knows", "[gen][cross_entropy]") {
  std::map<std::string, std::set<std::string>> seen;
  for (std::uint64_t key = 0; key < 2000; ++key)
    for (const auto& [option, value] : drawn(key).options) seen[option].insert(value);
  for (const std::string_view option : grammar_of("cross_entropy").keys()) {
    INFO(option);
    CHECK(seen.contains(std::string(option)));
  }
  CHECK(seen["weights"] == std::set<std::string>{"uniform", "normal"});
  CHECK(seen["reduction"] == std::set<std::string>{"sum", "mean"});
  CHECK(seen["gradient"] == std::set<std::string>{"in_place", "out_of_place"});
  CHECK(seen["outputs"].size() > 50);
}

TEST_CASE("shrinking: options that do not matter go", "[gen][cross_entropy]") {
  const Case start = parse_case(
      "cross_entropy f16 rows=9 cols=70 fill=ramp smoothing=0.1 weights=normal zero_weights=0.25 reduction=mean "
      "targets=peak "
      "upstream=3 gradient=in_place outputs=loss,lse");
  const auto fails = [](const Case& c) {
    for (const auto& [key, value] : c.options)
      if (key == "gradient" && value == "in_place") return true;
    return false;
  };
  CHECK(to_line(shrink(start, fails, {}).result) == "cross_entropy f32 rows=1 cols=1 fill=constant gradient=in_place");
}
