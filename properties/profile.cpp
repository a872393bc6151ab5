#include "properties/profile.hpp"

#include "properties/operation.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <iterator>

namespace plusmax::properties {
namespace {

constexpr std::string_view kFamilies[] = {
    "fill=offset value=1e4 sigma=1 peak=16",
    "fill=offset value=-1000",
    "fill=offset value=-110 sigma=1",
    "fill=offset value=95 sigma=1",
    "fill=constant",
    "fill=plateau depth=9.7",
    "fill=plateau depth=0.1",
    "fill=lse_near_zero",
    "fill=ramp range=0.5",
    "fill=ramp range=2000",
    "fill=peak_label one_minus_p=1e-6",
    "fill=peak_label one_minus_p=1e-9",
    "fill=peak",
    "fill=heavy_tail",
    "fill=max_last",
    "fill=only_last_finite",
    "fill=first_half_negative_infinity",
    "fill=offset value=1e4",  // with smoothing, where there is any
    "fill=peak column=0",     // the label's own column, with smoothing
    "",                       // N(0,1)
    "sigma=10",
    "fill=uniform low=-120 high=-104",
    "fill=uniform low=80 high=100",
    "fill=ramp",
    "fill=ramp descending=1",
    "fill=spike",
    "fill=two_clusters",
    "fill=alternating",
    "fill=max_first",
    "fill=max_position",
    "fill=tiny_range",
    "fill=huge",
    "fill=duplicated",
    "fill=modular",
    "fill=row_cycle",
    "fill=masked",
    "fill=integers",
    "fill=constant value=-7.3",
};

// Between rows and before the first one: whole vectors, odd elements, and what keeps each row at another alignment.
struct Gap {
  int padding, phase;
};
constexpr Gap kGaps[] = {{0, 0}, {1, 0}, {61, 3}, {0, 1}, {64, 2}, {7, 5}, {13, 12}};

}  // namespace

std::optional<Profile> profile_from(std::string_view name) {
  for (const Profile profile : {Profile::smoke, Profile::ci, Profile::full})
    if (name == name_of(profile)) return profile;
  return std::nullopt;
}

const char* name_of(Profile profile) {
  return profile == Profile::smoke ? "smoke" : profile == Profile::ci ? "ci" : "full";
}

std::span<const std::string_view> families() { return kFamilies; }

std::vector<Case> profile_cases(Profile profile, std::string_view op, std::span<const plusmax_dtype> dtypes) {
  return operation_named(op).profile(profile, dtypes);
}

void ProfileCases::add(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, std::string_view tail,
                       std::size_t variety) {
  if (std::find(dtypes_.begin(), dtypes_.end(), dtype) == dtypes_.end()) return;
  const Gap& gap = kGaps[(variety + static_cast<std::size_t>(dtype)) % std::size(kGaps)];
  std::string line = op_ + " " + reference::name_of(dtype) + " rows=" + std::to_string(rows) +
                     " cols=" + std::to_string(cols) + " stride=" + std::to_string(cols + gap.padding) +
                     " phase=" + std::to_string(gap.phase) + " seed=" + std::to_string(variety + 1);
  if (!tail.empty()) line += " " + std::string(tail);
  cases.push_back(parse_case(line));
}

void ProfileCases::add_families(plusmax_dtype dtype, std::int64_t cols) {
  for (std::size_t i = 0; i < std::size(kFamilies); ++i) add(dtype, 2, cols, kFamilies[i], i);
}

std::uint64_t logits_of(std::span<const Case> cases) {
  std::uint64_t sum = 0;
  for (const Case& c : cases) sum += static_cast<std::uint64_t>(c.rows) * static_cast<std::uint64_t>(c.cols);
  return sum;
}

double estimate_seconds(std::uint64_t logits, double launches) {
  constexpr double kOnce = 80e-9;    // making, rounding and referencing one logit
  constexpr double kLaunch = 10e-9;  // one kernel reading it on the host
  return static_cast<double>(logits) * (kOnce + kLaunch * launches);
}

}  // namespace plusmax::properties
