// Runs a plan in child processes.
#pragma once

#include "cli/check_plan.hpp"
#include "cli/run.hpp"

namespace plusmax::cli {

void run_plan(const Plan& plan, const Backend& backend, const Running& running, Run& run);

// True if the device of this process can do no more.
bool device_is_broken(const Module& module);

}  // namespace plusmax::cli
