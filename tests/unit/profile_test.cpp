#include "properties/profile.hpp"

#include "tests/catch.hpp"

#include <set>

using namespace plusmax::properties;

namespace {
constexpr plusmax_dtype kAll[] = {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64};
}

TEST_CASE("profile: names are read back", "[profile]") {
  for (const Profile profile : {Profile::smoke, Profile::ci, Profile::full})
    CHECK(profile_from(name_of(profile)) == profile);
  CHECK_FALSE(profile_from("fast"));
}

TEST_CASE("profile: every case is valid, different from the others, and replays from its line", "[profile]") {
  for (const Profile profile : {Profile::smoke, Profile::ci, Profile::full}) {
    std::set<std::string> lines;
    for (const Case& c : profile_cases(profile, "logsumexp", kAll)) {
      validate(c);
      CHECK(parse_case(to_line(c)) == c);
      CHECK(lines.insert(to_line(c)).second);
    }
  }
}

TEST_CASE("profile: a filter on dtypes leaves cases out and changes none", "[profile]") {
  const auto all = profile_cases(Profile::ci, "logsumexp", kAll);
  std::size_t found = 0;
  for (const plusmax_dtype dtype : kAll) {
    const auto some = profile_cases(Profile::ci, "logsumexp", std::span(&dtype, 1));
    CHECK_FALSE(some.empty());
    std::vector<Case> expected;
    for (const Case& c : all)
      if (c.dtype == dtype) expected.push_back(c);
    CHECK(some == expected);
    found += some.size();
  }
  CHECK(found == all.size());
  CHECK(profile_cases(Profile::ci, "logsumexp", {}).empty());
}

TEST_CASE("profile: ci has every family at 4099 columns in every dtype, and 128256 in f32 only", "[profile]") {
  const auto cases = profile_cases(Profile::ci, "logsumexp", kAll);
  std::set<std::string> fills_of[4];
  std::set<std::int64_t> phases, paddings;
  for (const Case& c : cases) {
    if (c.cols == 4099) fills_of[c.dtype].insert(c.fill);
    if (c.cols > 100000) CHECK(c.dtype == PLUSMAX_F32);
    CHECK(c.rows >= 2);  // a wrong stride shows from row 1 on
    phases.insert(c.phase % 8);
    paddings.insert(c.row_stride - c.cols);
  }
  for (const auto& names : fills_of) CHECK(names.size() >= 20);
  CHECK(phases.size() >= 5);
  CHECK(paddings.size() >= 5);
  CHECK(families().size() >= 19);
}

TEST_CASE("profile: the sizes keep to their budgets", "[profile]") {
  constexpr double kLaunches = 200;  // checks times variants times launches of each
  const auto seconds = [&](Profile profile) {
    return estimate_seconds(logits_of(profile_cases(profile, "logsumexp", kAll)), kLaunches);
  };
  CHECK(seconds(Profile::smoke) < 10);
  CHECK(seconds(Profile::ci) < 60);
  CHECK(seconds(Profile::full) < 3600);
  CHECK(seconds(Profile::smoke) < seconds(Profile::ci));
  CHECK(seconds(Profile::ci) < seconds(Profile::full));
}

TEST_CASE("profile: an unknown operation is refused", "[profile]") {
  CHECK_THROWS_AS(profile_cases(Profile::smoke, "logsumexpp", kAll), UsageError);
}
