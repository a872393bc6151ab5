// The cases that bench times.
#pragma once

#include "cli/options.hpp"
#include "properties/operation.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace plusmax::cli {

// ROWSxCOLS as case lines of the operation, in the storage types selected, bf16 and f32 if none is; without shapes, those
// that it names itself and the selected variant has. `options`: keys and values as in case lines, over the ones that it
// has unless told otherwise. Throws properties::UsageError.
std::vector<properties::BenchCase> bench_cases(const properties::Operation&, const std::vector<std::string>& shapes, const std::string& options, const Selection&, std::string_view backend, std::uint64_t seed);

// Whether the variant is to be timed at it.
inline bool is_about(const properties::BenchCase& at, const properties::Subject& subject) {
  return subject.op == at.of.op && (at.variant.empty() || at.variant == subject.variant);
}

}  // namespace plusmax::cli
