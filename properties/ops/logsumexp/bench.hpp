// What bench times of logsumexp.
#pragma once

#include "properties/bench_bed.hpp"
#include "properties/case.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace plusmax::properties::logsumexp {

// On a GPU: vocabularies in use, long rows, one row for the whole device, many short rows. On the host: a few small
// ones, to see that everything works; its times say nothing about a GPU.
std::vector<BenchCase> bench_cases(std::string_view backend);
// Throws UsageError, std::bad_alloc.
std::unique_ptr<BenchBed> bench_bed(const Case&, const Module&);

}  // namespace plusmax::properties::logsumexp
