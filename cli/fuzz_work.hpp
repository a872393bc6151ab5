// The search, shared out to child processes in blocks of cases.
#pragma once

#include "cli/run.hpp"
#include "properties/case.hpp"

#include <string>
#include <vector>

namespace plusmax::cli {

struct FuzzRequest {
  Selection selection;
  double seconds = 0;         // 0: no limit
  std::uint64_t cases = 0;    // 0: no limit
  std::string failures;       // directory
  std::vector<properties::Case> stored;  // what it held: replayed first
};

inline constexpr std::size_t kDistinctFailures = 20;  // then the search stops: more would say the same again

void run_fuzz(const FuzzRequest& request, const Backend& backend, const Running& running, Run& run);

}  // namespace plusmax::cli
