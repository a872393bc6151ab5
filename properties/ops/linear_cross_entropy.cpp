#include "properties/operation.hpp"
#include "properties/ops/linear_cross_entropy/bench.hpp"
#include "properties/ops/linear_cross_entropy/inspect.hpp"
#include "properties/ops/linear_cross_entropy/launch.hpp"
#include "properties/ops/linear_cross_entropy/options.hpp"
#include "properties/ops/linear_cross_entropy/profile.hpp"

namespace plusmax::properties::linear_cross_entropy {
std::span<const Check* const> checks();  // generated from properties/checks/linear_cross_entropy/
}

namespace plusmax::properties::operations {

static std::vector<Subject> subjects_of(const Module& module) {
  return subjects_among(module, "linear_cross_entropy", module.linear_cross_entropy);
}

extern const Operation linear_cross_entropy;
const Operation linear_cross_entropy = {.name = "linear_cross_entropy",
                                        .keys = properties::linear_cross_entropy::keys,
                                        .canonical = properties::linear_cross_entropy::canonical,
                                        .draw = properties::linear_cross_entropy::draw,
                                        .checks = properties::linear_cross_entropy::checks,
                                        .subjects = subjects_of,
                                        .profile = properties::linear_cross_entropy::profile,
                                        .refusal = properties::linear_cross_entropy::refusal,
                                        .result_bytes = properties::linear_cross_entropy::result_bytes,
                                        .inspect = properties::linear_cross_entropy::inspect,
                                        .explain = properties::linear_cross_entropy::explain,
                                        .results = properties::linear_cross_entropy::results,
                                        .main_result = "loss",
                                        .bench_cases = properties::linear_cross_entropy::bench_cases,
                                        .bench_options =
                                            "features=4096 gradient=dhidden,dweight dweight_type=dtype "
                                            "chunk_dtype=dtype reduction=mean outputs=loss,lse",
                                        .bench_products = true,
                                        .bench_bed = properties::linear_cross_entropy::bench_bed};

}  // namespace plusmax::properties::operations
