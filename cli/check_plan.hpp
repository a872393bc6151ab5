// What a check runs: cases times variants times checks, after every filter.
#pragma once

#include "cli/backend.hpp"
#include "cli/options.hpp"
#include "properties/case_file.hpp"
#include "properties/check.hpp"
#include "properties/profile.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plusmax::cli {

struct PlannedCase {
  properties::Case of;
  std::string id, source;                     // "B13", "cases"
  properties::CaseRow row;                    // its known answers; empty for a case of a profile
};

// One case on one variant: what one child process runs in order.
struct Group {
  std::size_t of = 0, subject = 0;            // indices
  std::vector<const properties::Check*> checks;
};

struct Plan {
  std::vector<properties::Subject> subjects;
  std::vector<PlannedCase> cases;
  std::vector<Group> groups;
  std::vector<properties::Record> set_aside;  // cases that cannot run here: refused, later, too large for the host

  bool is_huge(std::size_t of) const;         // cases[of] has gigabytes of logits
  bool runs_something() const;                // false: all of it will be skipped
  std::size_t units() const;
  std::uint64_t logits() const;               // that the kernels will read in one launch of each check
  double estimated_seconds(int jobs) const;
};

struct PlanRequest {
  Selection selection;
  properties::Profile profile = properties::Profile::ci;
  std::string case_file;                      // instead of the profile and the built-in case files
  std::uint64_t seed = 0;                     // 0: the cases as they are written
};

// The check that compares with the answers of case files.
bool is_expected(const properties::Check& check);

// Throws properties::UsageError.
Plan make_plan(const PlanRequest& request, const Backend& backend);

}  // namespace plusmax::cli
