// Runs a plan in child processes.
#pragma once

#include "cli/plan.hpp"
#include "cli/run.hpp"

namespace plusmax::cli {

void run_plan(const Plan& plan, const Backend& backend, const Running& running, Run& run);

// The oracle's record, failed if a result contradicts the answer that the case file knows.
void compare_with_answers(const properties::CaseRow& row, const properties::Subject& subject, properties::Record& record);

// True if the device of this process can do no more.
bool device_is_broken(const Module& module);

}  // namespace plusmax::cli
