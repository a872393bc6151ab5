#include "reference/logsumexp.hpp"

#include "reference/row_kernel.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

namespace {
const RowKernel& kernel_of(Tier tier) {
#ifdef PLUSMAX_X86_TIERS
  if (tier == Tier::avx512) return avx512_row_kernel();
  if (tier == Tier::avx2) return avx2_row_kernel();
#endif
  static_cast<void>(tier);
  return portable_row_kernel();
}

RowScan scan(const RowKernel& k, std::span<const float> row) { return k.scan_f32(row.data(), row.size()); }
RowScan scan(const RowKernel& k, std::span<const double> row) { return k.scan_f64(row.data(), row.size()); }
void sum(const RowKernel& k, std::span<const float> row, const RowScan& s, ChainSums& out) {
  k.sum_f32(row.data(), row.size(), s.max, s.argmax, exp_tables(), out);
}
void sum(const RowKernel& k, std::span<const double> row, const RowScan& s, ChainSums& out) {
  k.sum_f64(row.data(), row.size(), s.max, s.argmax, exp_tables(), out);
}

// docs/numerics.md section 4. 2^-1021: what one exponential below exp(-708) was taken too small by.
double lse_error(const LogsumexpRow& r) {
  const double dropped = r.cols == 1 ? 0 : static_cast<double>(r.cols) * 0x1p-1021;
  if (r.sum_without_max.hi == 0) return dropped;  // log S = 0 and m + 0 are exact
  const double in_sum = sum_relative_error(r.cols) * (r.sum_without_max.hi / r.sum.hi) + dropped;
  const double in_log = kLogAbsoluteError + 0x1p-102 * r.log_sum.hi;
  return 1.01 * (in_sum + in_log + 0x1p-103 * std::fabs(r.lse.hi));
}

template <class T>
LogsumexpRow logsumexp_of(std::span<const T> row, Tier tier) {
  if (!tier_available(tier)) {
    throw std::invalid_argument(std::string("tier ") + name_of(tier) + " does not run on this CPU, whose best is " +
                                name_of(best_tier()));
  }
  const RowKernel& kernel = kernel_of(tier);
  LogsumexpRow r;
  r.cols = row.size();
  const RowScan s = scan(kernel, row);
  r.value_class = s.has_nan ? ValueClass::nan : classify(s.max);
  if (r.value_class != ValueClass::finite) return r;
  r.max = s.max;
  r.argmax = s.argmax;

  ChainSums chains;
  sum(kernel, row, s, chains);
  double weighted = 0;
  for (std::size_t c = 0; c < kChains; ++c) {
    r.sum_without_max = add(r.sum_without_max, two_sum(chains.hi[c], chains.lo[c]));
    weighted += chains.weighted[c];
  }
  r.sum = add({1, 0}, r.sum_without_max);
  r.log_sum = log1p(r.sum_without_max);
  r.lse = add({r.max, 0}, r.log_sum);
  r.mean_distance = -weighted / r.sum.hi;
  r.error = lse_error(r);
  return r;
}
}  // namespace

double sum_relative_error(std::size_t cols) {
  const double c = std::ceil(static_cast<double>(cols) / static_cast<double>(kChains));
  return kExpRelativeError + 0x1p-106 * ((c + 1) * (c + 4) + 256);
}

double mean_distance_error(const LogsumexpRow& r) {
  const double c = std::ceil(static_cast<double>(r.cols) / static_cast<double>(kChains));
  return r.cols == 1 ? 0 : 0x1p-52 * (c + 64) * r.mean_distance + static_cast<double>(r.cols) * 0x1p-1010;
}

bool tier_available(Tier tier) {
#ifdef PLUSMAX_X86_TIERS
  if (tier == Tier::avx512) return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (tier == Tier::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return tier == Tier::portable;
}

Tier best_tier() {
  if (tier_available(Tier::avx512)) return Tier::avx512;
  return tier_available(Tier::avx2) ? Tier::avx2 : Tier::portable;
}

const char* name_of(Tier tier) {
  switch (tier) {
    case Tier::portable: return "portable";
    case Tier::avx2: return "avx2";
    case Tier::avx512: return "avx512";
  }
  return "unknown";
}

LogsumexpRow logsumexp(std::span<const float> row) { return logsumexp_of(row, best_tier()); }
LogsumexpRow logsumexp(std::span<const double> row) { return logsumexp_of(row, best_tier()); }
LogsumexpRow logsumexp(std::span<const float> row, Tier tier) { return logsumexp_of(row, tier); }
LogsumexpRow logsumexp(std::span<const double> row, Tier tier) { return logsumexp_of(row, tier); }

}  // namespace plusmax::reference
