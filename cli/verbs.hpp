// One verb, one file. add_VERB declares the verb's options on its subcommand and answers what runs it.
#pragma once

#include "cli/run.hpp"

#include <CLI/CLI.hpp>

#include <functional>

namespace plusmax::cli {

// Answers the exit code; throws properties::UsageError for what the user got wrong.
using RunVerb = std::function<int(const Invocation& invocation)>;

RunVerb add_list(CLI::App& app);
RunVerb add_check(CLI::App& app);
RunVerb add_fuzz(CLI::App& app);
RunVerb add_replay(CLI::App& app);
RunVerb add_mutants(CLI::App& app);
RunVerb add_bench(CLI::App& app);
RunVerb add_report(CLI::App& app);
RunVerb add_explain(CLI::App& app);
RunVerb add_doctor(CLI::App& app);

}  // namespace plusmax::cli
