// One verb, one file. add_VERB declares the verb's options and answers what runs it.
#pragma once

#include "cli/arguments.hpp"
#include "cli/run.hpp"

#include <functional>

namespace plusmax::cli {

// Answers the exit code; throws properties::UsageError for what the user got wrong.
using RunVerb = std::function<int(const Invocation& invocation)>;

RunVerb add_list(Arguments& arguments);
RunVerb add_check(Arguments& arguments);
RunVerb add_fuzz(Arguments& arguments);
RunVerb add_replay(Arguments& arguments);
RunVerb add_mutants(Arguments& arguments);
RunVerb add_bench(Arguments& arguments);
RunVerb add_plan(Arguments& arguments);
RunVerb add_report(Arguments& arguments);
RunVerb add_explain(Arguments& arguments);
RunVerb add_doctor(Arguments& arguments);

}  // namespace plusmax::cli
