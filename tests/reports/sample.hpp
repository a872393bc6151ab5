// One small run with an example of everything that a report shows.
#pragma once

#include "reports/run_data.hpp"

namespace plusmax::reports::testing {

properties::Record passed_record();
properties::Record failed_record();   // with "<", "&" and quotes in its reason
properties::MutantResult killed_mutant();
properties::MutantResult survived_mutant();
properties::BenchResult bench_result();
properties::BenchResult bench_result_beside_products();

RunData good_run();  // exit code 0
RunData bad_run();   // every outcome, a survivor, a refused measurement

}  // namespace plusmax::reports::testing
