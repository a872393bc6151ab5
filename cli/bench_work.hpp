// Times the ceilings and each variant at each shape, one shape to a process at a time.
#pragma once

#include "cli/bench_shapes.hpp"
#include "cli/run.hpp"

#include <vector>

namespace plusmax::cli {

struct BenchWork {
  int repeats = 10;     // launches after timing whose results must have the same bits
  bool loaded = false;  // each sample right behind matrix products
};

void run_bench(const std::vector<BenchShape>& shapes, const std::vector<properties::Subject>& subjects, const Backend& backend, const Running& running, const BenchWork&, Run& run);

}  // namespace plusmax::cli
