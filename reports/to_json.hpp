// Plain structs <-> JSON values. Internal to reports/; record_json.hpp is the public face.
#pragma once

#include "reports/json.hpp"
#include "reports/run_data.hpp"

namespace plusmax::reports {

Json json_of(const properties::Record& record);
Json json_of(const properties::MutantResult& result);
Json json_of(const properties::BenchResult& result);
Json json_of(const properties::RunInfo& info);
Json json_of(const CheckInfo& check);

void from_json_value(const Json& json, properties::Record& record);
void from_json_value(const Json& json, properties::MutantResult& result);
void from_json_value(const Json& json, properties::BenchResult& result);
void from_json_value(const Json& json, properties::RunInfo& info);
void from_json_value(const Json& json, CheckInfo& check);

}  // namespace plusmax::reports
