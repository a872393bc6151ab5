// What is under test: one variant of one module on its device.
#pragma once

#include "kernels/catalog.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace plusmax::properties {

struct Subject {
  const Module* module = nullptr;
  const KernelVariant<logsumexp::Params>* variant = nullptr;
  std::string mutant;            // empty for production code
  // Schedules a check may choose from on the host; a check that runs once uses the first.
  std::uint64_t schedule_seed = 0;
  Schedule schedule = Schedule::forward;
  float approx_noise = 0;
};

// The built-in host module, the CUDA module beside the executable, or a mutant's module by path.
// Throws std::runtime_error with the path and the loader's own words.
const Module* host_module();
const Module* load_module(const std::string& path);

std::vector<Subject> subjects_of(const Module&, std::string_view op, std::string_view variant_filter);

}  // namespace plusmax::properties
