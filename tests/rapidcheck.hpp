// Properties of Cases inside a Catch2 test, for Catch2 2 and 3:
//
//   TEST_CASE("case lines: parsing what was printed gives the same case") {
//     for_all("parsing what was printed gives the same case", 2000, [](const Case& c) { ... return Finding::ok(); });
//   }
//
// The rules (seed, scale, replay line, no success on 0 cases) are those of properties/gen/bridge.hpp. RapidCheck's own
// catch.h knows Catch2 2 only and passes no name, so all properties would see the same data.
#pragma once

#include "properties/gen/bridge.hpp"
#include "tests/catch.hpp"

#include <functional>
#include <iostream>
#include <string_view>

namespace plusmax::tests {

using properties::Case;
using properties::gen::Finding;

// Read once; prints the seed, so that every log says how to repeat it.
inline const properties::gen::PropertySettings& property_settings() {
  static const properties::gen::PropertySettings settings = [] {
    const auto read = properties::gen::settings_from_environment();
    std::cerr << "properties: PLUSMAX_SEED=" << read.seed << " PLUSMAX_FUZZ_SCALE=" << read.scale << '\n';
    return read;
  }();
  return settings;
}

inline void for_all(std::string_view name, int cases, const rc::Gen<Case>& gen, const std::function<Finding(const Case&)>& property) {
  const auto report = properties::gen::check_property(name, cases, property_settings(), gen, property);
  if (!report.passed) FAIL(report.message);
  SUCCEED(report.cases << " cases");
}

inline void for_all(std::string_view name, int cases, const std::function<Finding(const Case&)>& property) {
  for_all(name, cases, properties::gen::cases("logsumexp"), property);
}

}  // namespace plusmax::tests
