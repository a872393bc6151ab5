#include "properties/profile.hpp"

#include "reference/dtype.hpp"

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
struct Layout {
  int padding, phase;
};
constexpr Layout kLayouts[] = {{0, 0}, {1, 0}, {61, 3}, {0, 1}, {64, 2}, {7, 5}, {13, 12}};

class List {
 public:
  List(std::string_view op, std::span<const plusmax_dtype> dtypes) : op_(op), dtypes_(dtypes) {}

  void add(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, std::string_view tail, std::size_t variety) {
    bool wanted = false;
    for (const plusmax_dtype one : dtypes_) wanted |= one == dtype;
    if (!wanted) return;
    const Layout& layout = kLayouts[(variety + static_cast<std::size_t>(dtype)) % std::size(kLayouts)];
    std::string line = op_ + " " + reference::name_of(dtype) + " rows=" + std::to_string(rows) +
                       " cols=" + std::to_string(cols) + " stride=" + std::to_string(cols + layout.padding) +
                       " phase=" + std::to_string(layout.phase) + " seed=" + std::to_string(variety + 1);
    if (!tail.empty()) line += " " + std::string(tail);
    cases.push_back(parse_case(line));
  }
  void add_families(plusmax_dtype dtype, std::int64_t cols) {
    for (std::size_t i = 0; i < std::size(kFamilies); ++i) add(dtype, 2, cols, kFamilies[i], i);
  }
  void add_special(plusmax_dtype dtype, std::int64_t cols) { add(dtype, 25, cols, "fill=special", 0); }
  void add_sweep(plusmax_dtype dtype, std::int64_t cols) { add(dtype, (cols + 63) / 64, cols, "fill=spikes64", 1); }

  std::vector<Case> cases;

 private:
  std::string op_;
  std::span<const plusmax_dtype> dtypes_;
};

constexpr plusmax_dtype kDtypes[] = {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64};

void add_smoke(List& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    list.add_families(dtype, dtype == PLUSMAX_F32 ? 1031 : 257);
    list.add_special(dtype, 37);
    list.add_sweep(dtype, 1031);
  }
}

void add_ci(List& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    list.add_families(dtype, 4099);
    list.add_special(dtype, 4099);
    list.add_sweep(dtype, 4099);
  }
  // The vocabulary of Llama 3: where drift is largest, and every 64th column carries the sum.
  for (const std::string_view tail :
       {"fill=plateau", "fill=plateau depth=0.1", "fill=spikes64", "fill=spikes64 start=1002"})
    list.add(PLUSMAX_F32, 2, 128256, tail, 2);
}

void add_full(List& list) {
  for (const plusmax_dtype dtype : kDtypes) {
    for (const std::int64_t cols : {20011, 50257, 128256}) {
      list.add_families(dtype, cols);
      list.add_special(dtype, cols);
    }
    list.add_sweep(dtype, 20011);
    for (const std::int64_t cols : {std::int64_t{262144}, (std::int64_t{1} << 20) + 1})
      for (const std::string_view tail :
           {"", "fill=plateau", "fill=spikes64", "fill=ramp range=0.5", "fill=max_last", "fill=only_last_finite"})
        list.add(dtype, 1, cols, tail, 3);
  }
  list.add_sweep(PLUSMAX_F32, 50257);
  list.add_sweep(PLUSMAX_BF16, 50257);
}

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
  require_operation(op);
  List list(op, dtypes);
  if (profile == Profile::smoke) add_smoke(list);
  if (profile == Profile::ci) {
    add_smoke(list);  // narrow rows are what a warp or a lane computes
    add_ci(list);
  }
  if (profile == Profile::full) {
    add_smoke(list);
    add_ci(list);
    add_full(list);
  }
  return list.cases;
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
