// The built-in lists of cases, by how much time there is. Pure functions of their arguments: filters never change data.
#pragma once

#include "properties/case.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plusmax::properties {

enum class Profile {
  smoke,  // seconds: every distribution in every dtype, narrow
  ci,     // minutes on 2 cores: 4099 columns, where each known mistake still shows; 128256 for the hardest rows, in f32 but for two
  full    // an hour: every distribution at three vocabulary sizes, long rows, sweeps over every column
};
std::optional<Profile> profile_from(std::string_view name);
const char* name_of(Profile);

// The distributions that together expose every known mistake, as the tail of a case line: "fill=plateau depth=9.7".
// The first 19 are the set measured to do so (docs/numerics.md section 6; two of them repeat a distribution for operations
// with smoothing), the others shapes of their own.
std::span<const std::string_view> families();

// Throws UsageError for an operation that this build does not have.
std::vector<Case> profile_cases(Profile, std::string_view op, std::span<const plusmax_dtype>);

// What properties/ops/OP/profile.cpp fills: cases of its operation in the wanted dtypes, each laid out in another way.
class ProfileCases {
 public:
  ProfileCases(std::string_view op, std::span<const plusmax_dtype> dtypes) : op_(op), dtypes_(dtypes) {}

  // `tail` goes on with the case line; `variety` chooses strides, phase and seed.
  void add(plusmax_dtype, std::int64_t rows, std::int64_t cols, std::string_view tail, std::size_t variety);
  void add_families(plusmax_dtype, std::int64_t cols);  // two rows of each

  std::vector<Case> cases;

 private:
  std::string op_;
  std::span<const plusmax_dtype> dtypes_;
};

std::uint64_t logits_of(std::span<const Case>);  // rows * cols, summed
// On one core of the host, for so many launches per case: data, reference and launches of about 10 ns a logit each.
double estimate_seconds(std::uint64_t logits, double launches);

}  // namespace plusmax::properties
