// The built-in lists of cases, by how much time there is. Pure functions of their arguments: filters never change data.
#pragma once

#include "properties/case.hpp"

#include <optional>
#include <span>

namespace plusmax::properties {

enum class Profile {
  smoke,  // seconds: every distribution in every dtype, narrow
  ci,     // minutes on 2 cores: 4099 columns, where each known mistake still shows; 128256 for the hardest rows
  full    // an hour: every distribution at three vocabulary sizes, long rows, sweeps over every column
};
std::optional<Profile> profile_from(std::string_view name);
const char* name_of(Profile);

// The distributions that together expose every known mistake, as the tail of a case line: "fill=plateau depth=9.7".
// The first 19 are the set measured to do so (docs/numerics.md section 6; two of them repeat a distribution for operations
// with smoothing), the others shapes of their own.
std::span<const std::string_view> families();

std::vector<Case> profile_cases(Profile, std::string_view op, std::span<const plusmax_dtype>);

std::uint64_t logits_of(std::span<const Case>);  // rows * cols, summed
// On one core of the host, for so many launches per case: data, reference and launches of about 10 ns a logit each.
double estimate_seconds(std::uint64_t logits, double launches);

}  // namespace plusmax::properties
