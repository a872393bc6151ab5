// What bench times of linear_cross_entropy.
#pragma once

#include "properties/bench_bed.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

// On a GPU: 8192 tokens by the vocabulary of Llama 3, 4096 features, every way to spend memory. On the host tiny ones.
std::vector<BenchCase> bench_cases(std::string_view backend);
// Throws UsageError, std::bad_alloc.
std::unique_ptr<BenchBed> bench_bed(const Case&, const Module&);

}  // namespace plusmax::properties::linear_cross_entropy
