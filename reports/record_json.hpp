// Records <-> one line of JSON, exactly: what is read back equals what was written, bit for bit (a NaN stays a NaN).
// Fields at their default are left out. Each from_json throws std::runtime_error saying what is wrong with the line.
#pragma once

#include "properties/record.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace plusmax::reports {

const char* name_of(properties::Outcome outcome);  // "passed"
std::optional<properties::Outcome> outcome_from(std::string_view name);

std::string to_json(const properties::Record& record);
std::string to_json(const properties::MutantResult& result);
std::string to_json(const properties::BenchResult& result);

properties::Record record_from_json(std::string_view line);
properties::MutantResult mutant_from_json(std::string_view line);
properties::BenchResult bench_from_json(std::string_view line);

}  // namespace plusmax::reports
