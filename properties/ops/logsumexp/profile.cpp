#include "properties/ops/logsumexp/profile.hpp"

namespace plusmax::properties::logsumexp {
namespace {

constexpr plusmax_dtype kDtypes[] = {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64};

void add_special(ProfileCases& list, plusmax_dtype dtype, std::int64_t cols) {
  list.add(dtype, 25, cols, "fill=special", 0);
}
void add_sweep(ProfileCases& list, plusmax_dtype dtype, std::int64_t cols) {
  list.add(dtype, (cols + 63) / 64, cols, "fill=spikes64", 1);
}

void add_smoke(ProfileCases& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    list.add_families(dtype, dtype == PLUSMAX_F32 ? 1031 : 257);
    add_special(list, dtype, 37);
    add_sweep(list, dtype, 1031);
  }
}

void add_ci(ProfileCases& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    list.add_families(dtype, 4099);
    add_special(list, dtype, 4099);
    add_sweep(list, dtype, 4099);
  }
  // The vocabulary of Llama 3: where drift is largest, and every 64th column carries the sum.
  for (const std::string_view tail :
       {"fill=plateau", "fill=plateau depth=0.1", "fill=spikes64", "fill=spikes64 start=1002"})
    list.add(PLUSMAX_F32, 2, 128256, tail, 2);
}

void add_full(ProfileCases& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    for (const std::int64_t cols : {20011, 50257, 128256}) {
      list.add_families(dtype, cols);
      add_special(list, dtype, cols);
    }
    add_sweep(list, dtype, 20011);
    for (const std::int64_t cols : {std::int64_t{262144}, (std::int64_t{1} << 20) + 1})
      for (const std::string_view tail :
           {"", "fill=plateau", "fill=spikes64", "fill=ramp range=0.5", "fill=max_last", "fill=only_last_finite"})
        list.add(dtype, 1, cols, tail, 3);
  }
  add_sweep(list, PLUSMAX_F32, 50257);
  add_sweep(list, PLUSMAX_BF16, 50257);
}

}  // namespace

std::vector<Case> profile(Profile profile, std::span<const plusmax_dtype> dtypes) {
  ProfileCases list("logsumexp", dtypes);
  add_smoke(list);  // narrow rows are what a warp or a lane computes: every profile has them
  if (profile != Profile::smoke) add_ci(list);
  if (profile == Profile::full) add_full(list);
  return list.cases;
}

}  // namespace plusmax::properties::logsumexp
