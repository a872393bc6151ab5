#include "reports/record_json.hpp"

#include "reports/to_json.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace plusmax::reports {
namespace {

using properties::BenchResult;
using properties::MutantResult;
using properties::Outcome;
using properties::Record;

constexpr std::array<const char*, 6> kOutcomeNames = {"passed", "failed", "skipped", "untrusted", "crashed", "timeout"};

template <class T>
T parse(std::string_view line) {
  try {
    T value;
    from_json_value(Json::parse(line), value);
    return value;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("not a record: {}", error.what()));
  }
}

}  // namespace

const char* name_of(Outcome outcome) { return kOutcomeNames.at(static_cast<std::size_t>(outcome)); }

std::optional<Outcome> outcome_from(std::string_view name) {
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i)
    if (name == kOutcomeNames[i]) return static_cast<Outcome>(i);
  return std::nullopt;
}

std::string to_json(const Record& record) { return dump(json_of(record)); }
std::string to_json(const MutantResult& result) { return dump(json_of(result)); }
std::string to_json(const BenchResult& result) { return dump(json_of(result)); }
Record record_from_json(std::string_view line) { return parse<Record>(line); }
MutantResult mutant_from_json(std::string_view line) { return parse<MutantResult>(line); }
BenchResult bench_from_json(std::string_view line) { return parse<BenchResult>(line); }

}  // namespace plusmax::reports
