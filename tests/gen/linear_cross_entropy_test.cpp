// Generated cases of linear_cross_entropy: valid, readable, small, with every option.
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

Case drawn(std::uint64_t key) {
  return draw_case("linear_cross_entropy", {}, mix(9, key), static_cast<int>(key % 101));
}

}  // namespace

TEST_CASE("generator: every case of linear_cross_entropy is valid, small and reads back as itself",
          "[gen][linear_cross_entropy]") {
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const Case c = drawn(key), next = mutate(c, {}, key);
    INFO(to_line(c) << " -> " << to_line(next));
    REQUIRE_NOTHROW(validate(c));
    REQUIRE(c.rows * c.cols <= 6000);
    REQUIRE(parse_case(to_line(c)) == c);
    REQUIRE(parse_case(to_line(next)) == next);
    REQUIRE(drawn(key) == c);
  }
}

TEST_CASE("generator: every option of linear_cross_entropy is drawn, with every word it knows",
          "[gen][linear_cross_entropy]") {
  std::map<std::string, std::set<std::string>> seen;
  for (std::uint64_t key = 0; key < 2000; ++key)
    for (const auto& [option, value] : drawn(key).options) seen[option].insert(value);
  for (const std::string_view option : grammar_of("linear_cross_entropy").keys()) {
    INFO(option);
    const bool never = option == "weight" || option == "budget";  // what is given element by element, or by the byte
    CHECK(seen.contains(std::string(option)) == !never);
  }
  CHECK(seen["hidden"] == std::set<std::string>{"average", "one_hot", "zero"});
  CHECK(seen["bias"] == std::set<std::string>{"normal", "masked", "offset", "peak"});
  CHECK(seen["gradient"].size() == 7);
  CHECK(seen["hidden_stride"].contains("0"));
}

TEST_CASE("shrinking: options of linear_cross_entropy that do not matter go", "[gen][linear_cross_entropy]") {
  const Case start = parse_case(
      "linear_cross_entropy f16 rows=9 cols=70 fill=ramp smoothing=0.1 reduction=mean features=21 hidden=average "
      "bias=masked gradient=dweight,dbias dweight_type=dtype add_to_dweight=yes chunk=4 outputs=loss,lse");
  const auto fails = [](const Case& c) {
    for (const auto& [key, value] : c.options)
      if (key == "bias" && value == "masked") return true;
    return false;
  };
  CHECK(to_line(shrink(start, fails, {}).result) == "linear_cross_entropy f32 rows=1 cols=1 fill=constant bias=masked");
}
