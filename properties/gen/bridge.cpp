#include "properties/gen/bridge.hpp"

#include "properties/gen/draw.hpp"
#include "properties/gen/hash.hpp"

#include <rapidcheck.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>
#include <unordered_map>

namespace plusmax::properties::gen {
namespace {

std::optional<std::uint64_t> unsigned_from(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> positive_from(const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value > 0 && value <= 1e6)) return std::nullopt;
  return value;
}

Finding find(const std::function<Finding(const Case&)>& property, const Case& c) {
  try {
    return property(c);
  } catch (const std::exception& error) {
    return Finding::fail(fmt::format("exception: {}", error.what()));
  }
}

// RapidCheck takes the first shrink that still fails, so the last failure seen is the counterexample.
struct LastFailure {
  std::optional<Case> of;
  Finding finding;
};

rc::detail::TestResult run(std::string_view name, const rc::detail::TestParams& params, const rc::Gen<Case>& gen,
                           const std::function<Finding(const Case&)>& property, LastFailure& last) {
  const auto testable = [&] {
    const Case c = *gen;
    const Finding finding = find(property, c);
    if (finding.kind == Finding::Kind::does_not_apply) RC_DISCARD(finding.reason);
    if (finding.kind == Finding::Kind::fails) {
      last.of = c;
      last.finding = finding;
      RC_FAIL(finding.reason);
    }
  };
  struct Silent : rc::detail::TestListener {
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
  } silent;
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = std::string(name);
  // The overload that is given everything: the others read RC_PARAMS.
  return rc::detail::checkProperty(rc::detail::toProperty(testable), metadata, params, silent, {});
}

std::string again(std::string_view name, const PropertySettings& settings) {
  return fmt::format("again:  PLUSMAX_SEED={} PLUSMAX_FUZZ_SCALE={}  (the stream of this property is keyed by its name, \"{}\")",
                     settings.seed, settings.scale, name);
}

PropertyReport counterexample(std::string_view name, const PropertySettings& settings, int successes, const LastFailure& last,
                              const std::function<Finding(const Case&)>& property) {
  PropertyReport report;
  report.cases = successes;
  report.has_counterexample = true;
  report.counterexample = *last.of;
  report.flaky = find(property, *last.of).kind != Finding::Kind::fails;
  report.message = fmt::format("property fails after {} cases: {}\n  case:   {}\n  reason: {}\n  replay: {}\n  {}", successes, name,
                               to_line(*last.of), last.finding.reason, replay_command(*last.of, last.finding.variant),
                               again(name, settings));
  if (report.flaky) report.message += "\n  flaky:  the same case passed when it was run once more";
  return report;
}

}  // namespace

PropertySettings settings_from(const char* seed, const char* scale, const char* rc_params) {
  PropertySettings settings;
  if (rc_params != nullptr) {
    throw UsageError(fmt::format("RC_PARAMS='{}' is not read here: unset it and use PLUSMAX_SEED and PLUSMAX_FUZZ_SCALE", rc_params));
  }
  if (seed != nullptr) {
    const auto value = unsigned_from(seed);
    if (!value) throw UsageError(fmt::format("PLUSMAX_SEED='{}' is no unsigned 64-bit number: use one such as {}", seed, kDefaultSeed));
    settings.seed = *value;
  }
  if (scale != nullptr) {
    const auto value = positive_from(scale);
    if (!value) throw UsageError(fmt::format("PLUSMAX_FUZZ_SCALE='{}' is no number in (0, 1e6]: use one such as 0.1 or 10", scale));
    settings.scale = *value;
  }
  return settings;
}

PropertySettings settings_from_environment() {
  return settings_from(std::getenv("PLUSMAX_SEED"), std::getenv("PLUSMAX_FUZZ_SCALE"), std::getenv("RC_PARAMS"));
}

std::uint64_t property_seed(const PropertySettings& settings, std::string_view name) { return mix(settings.seed, hash_of(name)); }

std::string replay_command(const Case& c, std::string_view variant) {
  std::string command = fmt::format("plusmax replay '{}'", to_line(c));
  if (!variant.empty()) command += fmt::format(" --variant {}", variant);
  return command;
}

PropertyReport check_property(std::string_view name, int cases, const PropertySettings& settings, const rc::Gen<Case>& gen,
                              const std::function<Finding(const Case&)>& property) {
  rc::detail::TestParams params;
  params.seed = property_seed(settings, name);
  params.maxSuccess = static_cast<int>(std::min(1e9, std::max(1.0, std::round(cases * settings.scale))));
  params.maxSize = kNominalSize;
  LastFailure last;
  const rc::detail::TestResult result = run(name, params, gen, property, last);

  PropertyReport report;
  rc::detail::SuccessResult success;
  rc::detail::FailureResult failure;
  rc::detail::GaveUpResult gave_up;
  rc::detail::Error error;
  if (result.match(success)) {
    report.cases = success.numSuccess;
    report.passed = cases > 0 && success.numSuccess > 0;
    if (!report.passed) report.message = fmt::format("property ran on 0 cases, which proves nothing: {}", name);
  } else if (result.match(failure) && last.of) {
    return counterexample(name, settings, failure.numSuccess, last, property);
  } else if (result.match(failure)) {
    report.message = fmt::format("property fails before its first case: {}\n  reason: {}\n  {}", name, failure.description, again(name, settings));
  } else if (result.match(gave_up)) {
    report.cases = gave_up.numSuccess;
    report.message = fmt::format("property applied to {} cases and not to most others, so it was given up: {}\n  last reason: {}\n  {}",
                                 gave_up.numSuccess, name, gave_up.description, again(name, settings));
  } else {
    result.match(error);
    report.message = fmt::format("property could not be run: {}: {}", name, error.description);
  }
  return report;
}

}  // namespace plusmax::properties::gen
