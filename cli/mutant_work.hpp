// Runs planted mutants, each in a process of its own, and production code on the same cases for comparison.
#pragma once

#include "cli/run.hpp"
#include "properties/mutant.hpp"

#include <vector>

namespace plusmax::cli {

struct ChosenMutants {
  std::vector<const properties::Mutant*> to_run, for_the_host;  // the latter: a device shows them by chance, if at all
};
// Throws UsageError if the module of one to run has not been built.
ChosenMutants select_mutants(const Selection& selection, const Backend& backend);

// Adds one MutantResult each, and the records of production code: the checks of each mutant's cases, and the oracle on the
// smoke profile. Their largest error / bound is what separation is measured from.
void run_mutants(const std::vector<const properties::Mutant*>& mutants, const Backend& backend, const Running& running, Run& run);

}  // namespace plusmax::cli
