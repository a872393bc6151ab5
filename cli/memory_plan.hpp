// What a kernel module plans for the calls of a shape of linear_cross_entropy: each mode that can serve it, and the one
// that it chooses.
#pragma once

#include "cli/backend.hpp"
#include "kernels/catalog.hpp"
#include "reports/logits_memory.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace plusmax::cli {

struct MemoryRequest {
  linear_cross_entropy::Params shape;  // pointers say what is asked for
  linear_cross_entropy::PlanOptions options;
  std::size_t budget = 0;  // 0: none
};

struct ModePlan {
  plusmax_linear_mode mode;
  linear_cross_entropy::Planned planned;
  std::string refusal;  // why there is no plan: it does not fit the budget
  bool chosen = false;
};

const char* name_of(plusmax_linear_mode mode);  // "auto", "token_chunks"

// The same for the arithmetic of reports/, in chunks of so many tokens.
reports::LogitsQuestion logits_question(const MemoryRequest& request, std::int64_t chunk);

// The chosen mode among all that can serve the request; a chunk that is asked for is the chosen mode's. Throws
// properties::UsageError for a request that no mode serves, with the planner's own words.
std::vector<ModePlan> plan_modes(const Module& module, const MemoryRequest& request);

}  // namespace plusmax::cli
