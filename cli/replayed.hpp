// One check of one variant on one case, in a child process.
#pragma once

#include "cli/pool.hpp"
#include "properties/check.hpp"
#include "properties/inspect.hpp"

namespace plusmax::cli {

struct Replayed {
  properties::Record record;
  std::vector<properties::RowResult> rows;  // of the oracle, the first `most`
};
Replayed replay_isolated(const properties::Check& check, const properties::Case& of, const properties::Subject& subject,
                         std::int64_t most, double timeout);

// Who was under test, with no result yet.
properties::Record identity_of(const properties::Check& check, const properties::Case& of, const properties::Subject& subject,
                               const std::string& backend);
// The record of a check that gave no answer.
properties::Record record_of(const Death& death, properties::Record identity);

}  // namespace plusmax::cli
