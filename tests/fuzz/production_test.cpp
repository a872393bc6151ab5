// A short fuzz of the variants that ship.
#include "properties/gen/bridge.hpp"
#include "properties/gen/fuzz.hpp"
#include "tests/rapidcheck.hpp"

#include <set>
#include <string>

using namespace plusmax;
using namespace plusmax::properties;
using namespace plusmax::properties::gen;

TEST_CASE("fuzz: every production variant keeps its promises for a few seconds", "[fuzz]") {
  const auto subjects = subjects_of(*host_module(), "logsumexp", "");
  REQUIRE(!subjects.empty());
  FuzzOptions options;
  options.seed = plusmax::tests::property_settings().seed;
  options.seconds = 4 * plusmax::tests::property_settings().scale;
  options.limits.max_cols = 20011;
  options.limits.max_logits = 25000;
  const FuzzSummary summary = fuzz(options, subjects);
  for (const FuzzFailure& failure : summary.failures) {
    FAIL_CHECK(failure_key(failure.record) << ": " << failure.record.reason << (failure.flaky ? " (flaky)" : "") << "\n  "
                                           << replay_command(failure.shrunk, failure.record.variant) << "\n  found as "
                                           << to_line(failure.original) << ", case " << failure.index << " of seed " << options.seed);
  }
  CHECK(summary.cases > 20);
  REQUIRE(summary.worst() != nullptr);
  CHECK(summary.worst()->ratio <= 1);
  CHECK(summary.worst()->ratio > 0);
  std::set<std::string> variants;
  for (const auto& [key, champion] : summary.champions) variants.insert(key.first);
  for (const Subject& subject : subjects) {
    INFO(subject.variant);
    CHECK(variants.contains(subject.variant));
  }
}

TEST_CASE("fuzz: case k of a seed is the same whatever runs on it", "[fuzz]") {
  const CaseLimits limits;
  for (std::uint64_t k = 0; k < 300; ++k) {
    const Case c = fuzz_case("logsumexp", 11, k, limits);
    REQUIRE(c == fuzz_case("logsumexp", 11, k, limits));
    REQUIRE_NOTHROW(validate(c));
  }
  CHECK(to_line(fuzz_case("logsumexp", 11, 250, limits)) != to_line(fuzz_case("logsumexp", 12, 250, limits)));
}
