// Planted mistakes against the checks: what killed them, by how much, and how far that is from production code.
#pragma once

#include "properties/case.hpp"
#include "properties/check.hpp"
#include "properties/mutant.hpp"
#include "properties/record.hpp"
#include "properties/subject.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace plusmax::properties {

// A case and the checks that run on it, the named one first: where a fault ends the use of a device, no check behind it
// has its turn. On what only devices run it is the only one: so large a case costs each check seconds.
struct MutantCase {
  Case of;
  std::vector<const Check*> checks;
};

// What a mutant's file names for this backend ("host" or not), in each of its dtypes. Throws UsageError for a line that cannot be read.
std::vector<MutantCase> cases_of(const Mutant&, std::string_view backend);

// All of that, on those variants of `module` that the mutant's file names. Of the mutant's own module
// this shows the kills; of production code it shows that only the mistake can be what kills.
std::vector<Record> run_mutant_cases(const Mutant&, const Module& module);

// Reads the kills out of the records. Only the check that the file names decides `killed`.
MutantResult judge_mutant(const Mutant&, std::span<const Record> records, bool detects_races);

// Both on the mutant's own module. A mutant may crash: run it in a process of its own.
MutantResult run_mutant(const Mutant&, const Module& module);

// Largest error / bound in these records, of checks whose failures measure it.
double largest_ratio(std::span<const Record>);

// Least margin of the mutants that have one, over the largest error / bound of production code. NaN without either.
double separation(double worst_production_ratio, std::span<const MutantResult>);

}  // namespace plusmax::properties
