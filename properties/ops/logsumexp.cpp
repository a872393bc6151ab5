#include "properties/operation.hpp"
#include "properties/ops/logsumexp/bench.hpp"
#include "properties/ops/logsumexp/inspect.hpp"
#include "properties/ops/logsumexp/launch.hpp"
#include "properties/ops/logsumexp/profile.hpp"

namespace plusmax::properties::logsumexp {
std::span<const Check* const> checks();  // generated from properties/checks/logsumexp/
}

namespace plusmax::properties::operations {

static std::vector<Subject> subjects(const Module& module) {
  return subjects_among(module, "logsumexp", module.logsumexp);
}

static std::vector<ResultName> results(const Case&) { return {{"lse", Per::row}}; }

extern const Operation logsumexp;
const Operation logsumexp = {.name = "logsumexp",
                             .checks = properties::logsumexp::checks,
                             .subjects = subjects,
                             .profile = properties::logsumexp::profile,
                             .refusal = properties::logsumexp::refusal,
                             .inspect = properties::logsumexp::inspect,
                             .explain = properties::logsumexp::explain,
                             .results = results,
                             .main_result = "lse",
                             .bench_cases = properties::logsumexp::bench_cases,
                             .bench_bed = properties::logsumexp::bench_bed};

}  // namespace plusmax::properties::operations
