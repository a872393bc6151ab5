// Every check as a property of generated Cases: one Catch2 test for each, found through the table of checks.
#include "properties/operation.hpp"
#include "properties/gen/fuzz.hpp"
#include "tests/rapidcheck.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace plusmax;
using namespace plusmax::properties;
using namespace plusmax::properties::gen;

namespace {

constexpr int kCases = 100;
constexpr std::size_t kMostChecks = 64;

std::vector<Subject>& production() {
  static std::vector<Subject> subjects = subjects_of(*host_module(), "logsumexp", "");
  return subjects;
}

// Small enough that all checks on all variants take less than a minute; the fuzzer and the profiles go further.
CaseLimits small() {
  CaseLimits limits;
  limits.max_rows = 70;
  limits.max_cols = 4200;
  limits.max_logits = 6000;
  return limits;
}

Finding hold_on_all_variants(const Check& check, const Case& c) {
  bool ran = false;
  for (Subject& subject : production()) {
    if (!check.applies(c, subject).empty()) continue;
    const Record record = run_check(check, c, subject);
    if (record.outcome == Outcome::skipped) continue;
    ran = true;
    if (record.outcome != Outcome::passed) return Finding::fail(failure_key(record) + ": " + record.reason, subject.variant);
  }
  return ran ? Finding::ok() : Finding::not_applicable("no variant of this build can be checked on it");
}

template <std::size_t kIndex>
void run_property() {
  const Check& check = *checks_of("logsumexp")[kIndex];
  const auto applies = [&](const Case& c) {
    return std::any_of(production().begin(), production().end(), [&](const Subject& s) { return check.applies(c, s).empty(); });
  };
  plusmax::tests::for_all(check.name, kCases, cases_where("logsumexp", applies, small()), [&](const Case& c) { return hold_on_all_variants(check, c); });
}

template <std::size_t kIndex>
void register_property() {
  if (kIndex >= checks_of("logsumexp").size() || !holds_everywhere(*checks_of("logsumexp")[kIndex])) return;
  const Check& check = *checks_of("logsumexp")[kIndex];
  const std::string name = std::string(check.name) + ": " + check.statement;
  REGISTER_TEST_CASE(run_property<kIndex>, name.c_str(), "[property]");
}

template <std::size_t... kIndices>
bool register_all(std::index_sequence<kIndices...>) {
  (register_property<kIndices>(), ...);
  return true;
}
const bool registered = register_all(std::make_index_sequence<kMostChecks>());

}  // namespace

TEST_CASE("properties: every check is a property, and there is a variant to check", "[property]") {
  CHECK(registered);
  CHECK(checks_of("logsumexp").size() <= kMostChecks);
  CHECK(checks_of("logsumexp").size() >= 12);
  CHECK(!production().empty());
}
