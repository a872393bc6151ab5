// What bench prints when it is done.
#pragma once

#include "properties/record.hpp"

#include <vector>

namespace plusmax::cli {

// Two tables: what was measured against memory traffic, and what was measured in rounds with its products.
void print_bench(const std::vector<properties::BenchResult>& results);

}  // namespace plusmax::cli
