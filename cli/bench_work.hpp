// Times the ceilings and each variant at each case, one case at a time in a process of its own.
#pragma once

#include "cli/run.hpp"
#include "properties/operation.hpp"

#include <vector>

namespace plusmax::cli {

struct BenchWork {
  int repeats = 10;     // launches after timing whose results must have the same bits
  bool loaded = false;  // each sample right behind matrix products
};

// Subjects of a case are those of its operation.
void run_bench(const std::vector<properties::BenchCase>& cases, const std::vector<properties::Subject>& subjects, const Backend& backend, const Running& running, const BenchWork&, Run& run);

}  // namespace plusmax::cli
