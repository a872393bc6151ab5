// Times the ceilings and each variant at each shape, one shape to a process at a time.
#pragma once

#include "cli/bench_shapes.hpp"
#include "cli/run.hpp"

#include <vector>

namespace plusmax::cli {

void run_bench(const std::vector<BenchShape>& shapes, const std::vector<properties::Subject>& subjects, const Backend& backend, const Running& running, int repeats, Run& run);

}  // namespace plusmax::cli
