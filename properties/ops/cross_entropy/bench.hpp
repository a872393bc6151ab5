// What bench times of cross_entropy.
#pragma once

#include "properties/bench_bed.hpp"
#include "properties/case.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace plusmax::properties::cross_entropy {

// On a GPU: 8192 tokens by the vocabularies in use, and fewer tokens. On the host a few small shapes.
std::vector<BenchCase> bench_cases(std::string_view backend);
// Throws UsageError, std::bad_alloc.
std::unique_ptr<BenchBed> bench_bed(const Case&, const Module&);

}  // namespace plusmax::properties::cross_entropy
