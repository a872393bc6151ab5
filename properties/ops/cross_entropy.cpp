#include "properties/operation.hpp"
#include "properties/ops/cross_entropy/bench.hpp"
#include "properties/ops/cross_entropy/inspect.hpp"
#include "properties/ops/cross_entropy/launch.hpp"
#include "properties/ops/cross_entropy/options.hpp"
#include "properties/ops/cross_entropy/profile.hpp"

namespace plusmax::properties::cross_entropy {
std::span<const Check* const> checks();  // generated from properties/checks/cross_entropy/
}

namespace plusmax::properties::operations {

static std::vector<Subject> subjects_of(const Module& module) {
  return subjects_among(module, "cross_entropy", module.cross_entropy);
}

extern const Operation cross_entropy;
const Operation cross_entropy = {.name = "cross_entropy",
                                 .keys = properties::cross_entropy::keys,
                                 .canonical = properties::cross_entropy::canonical,
                                 .draw = properties::cross_entropy::draw,
                                 .checks = properties::cross_entropy::checks,
                                 .subjects = subjects_of,
                                 .profile = properties::cross_entropy::profile,
                                 .refusal = properties::cross_entropy::refusal,
                                 .result_bytes = properties::cross_entropy::result_bytes,
                                 .inspect = properties::cross_entropy::inspect,
                                 .explain = properties::cross_entropy::explain,
                                 .results = properties::cross_entropy::results,
                                 .main_result = "loss",
                                 .bench_cases = properties::cross_entropy::bench_cases,
                                 .bench_options = "gradient=in_place reduction=mean",
                                 .bench_bed = properties::cross_entropy::bench_bed};

}  // namespace plusmax::properties::operations
