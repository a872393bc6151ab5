// RapidCheck under our rules: one seed, one replay line, no success on nothing. The rules:
//
//   PLUSMAX_SEED        unsigned 64-bit, decimal or 0x...; default kDefaultSeed. Printed.
//   PLUSMAX_FUZZ_SCALE  multiplies the number of Cases of every property; default 1.
//
// Each property draws from mix(seed, hash of its name): filters and order never change its data. RC_PARAMS is refused,
// since RapidCheck ignores keys it does not know. Uses rc::detail, an internal interface; bridge.cpp is its only user.
#pragma once

#include "properties/gen/cases.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace plusmax::properties::gen {

constexpr std::uint64_t kDefaultSeed = 20260101;

struct PropertySettings {
  std::uint64_t seed = kDefaultSeed;
  double scale = 1;
};
// Throws UsageError: a value that is not what the table above says.
PropertySettings settings_from(const char* seed, const char* scale, const char* rc_params);  // nullptr: not set
PropertySettings settings_from_environment();

// What a property says about one Case.
struct Finding {
  enum class Kind { holds, fails, does_not_apply } kind = Kind::holds;
  std::string reason;   // one line
  std::string variant;  // for the replay line, may be empty

  static Finding ok() { return {}; }
  static Finding fail(std::string reason, std::string variant = "") { return {Kind::fails, std::move(reason), std::move(variant)}; }
  static Finding not_applicable(std::string reason = "") { return {Kind::does_not_apply, std::move(reason), ""}; }
};

struct PropertyReport {
  bool passed = false;
  int cases = 0;             // to which the property applied
  bool flaky = false;
  Case counterexample;       // shrunk; meaningful if !passed and has_counterexample
  bool has_counterexample = false;
  std::string message;       // what to print: empty if passed
};

// Runs `property` on about cases * scale generated Cases, smallest first; exceptions it throws are failures.
PropertyReport check_property(std::string_view name, int cases, const PropertySettings&, const rc::Gen<Case>&,
                              const std::function<Finding(const Case&)>& property);

std::uint64_t property_seed(const PropertySettings&, std::string_view name);
std::string replay_command(const Case&, std::string_view variant);  // plusmax replay 'LINE' --variant V

}  // namespace plusmax::properties::gen
