// What the verb plan says, for people and for programs.
#pragma once

#include "cli/memory_plan.hpp"

#include <string>
#include <vector>

namespace plusmax::cli {

struct PlanAnswer {
  MemoryRequest request;
  std::vector<ModePlan> modes;
  std::string backend;
  double bandwidth;  // TB/s
};

std::string text_of(const PlanAnswer& answer);
std::string json_of(const PlanAnswer& answer);

}  // namespace plusmax::cli
