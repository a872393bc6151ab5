// Times shapes times variants, one shape to a process at a time.
#pragma once

#include "cli/bench_shapes.hpp"
#include "cli/run.hpp"

#include <vector>

namespace plusmax::cli {

void run_bench(const std::vector<BenchShape>& shapes, const std::vector<properties::Subject>& subjects, const Backend& backend, const Running& running, Run& run);

}  // namespace plusmax::cli
