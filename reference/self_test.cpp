#include "reference/self_test.hpp"

#include "reference/cross_entropy_oracle.hpp"
#include "reference/cross_entropy_work.hpp"
#include "reference/inner_product.hpp"
#include "reference/logsumexp.hpp"
#include "reference/oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace plusmax::reference {

namespace {
constexpr std::size_t kSample = 256;

[[noreturn]] void degraded(const char* name, const char* what, double at, double error, double limit) {
  char line[256];
  std::snprintf(line, sizeof line,
                "reference self-test: %s of tier %s is off by 2^%.2f at %a, proved 2^%.2f: "
                "build with -ffp-contract=off and without -ffast-math",
                what, name, std::log2(error), at, std::log2(limit));
  throw std::logic_error(line);
}

// Arguments over the whole range, every eighth next to a boundary of the reduction, with and without a low part.
std::array<DoubleDouble, kSample> sample_arguments() {
  const ExpTables& t = exp_tables();
  std::array<DoubleDouble, kSample> x;
  for (std::size_t i = 0; i < kSample; ++i) {
    const double fraction = std::fmod(static_cast<double>(i + 1) * 0.61803398874989485, 1.0);
    double hi = -std::exp2(fraction * 22.5 - 13);  // -2^-13 .. -724
    if (i % 8 == 0) hi = -(std::floor(-hi * t.inverse_step) + 0.5) * t.step1;
    hi = std::max(hi, -680.0);
    x[i] = {hi, i % 2 == 0 ? 0 : hi * 0x1.8p-55};
  }
  x[0] = {0, 0};
  return x;
}

// TwoSum itself: a row whose sum needs the compensation, on every chain.
void check_sums(const RowKernel& kernel, const char* name) {
  std::vector<double> row(kChains * 12 + 5);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = -std::fmod(static_cast<double>(i) * 0.7548776662466927, 9.0);
  row[100] = 0.25;
  const RowScan scan = kernel.scan_f64(row.data(), row.size());
  ChainSums chains;
  kernel.sum_f64(row.data(), row.size(), scan.max, scan.argmax, exp_tables(), chains);
  DoubleDouble sum;
  for (std::size_t c = 0; c < kChains; ++c) sum = add(sum, two_sum(chains.hi[c], chains.lo[c]));
  const DoubleDouble exact = oracle().row(row, kFirstOracleBits).sum_without_max;
  const double error = std::fabs(add(sum, {-exact.hi, -exact.lo}).hi) / exact.hi;
  const double limit = sum_relative_error(row.size()) + 0x1p-104;  // the oracle's own rounding to double-double
  if (!(error <= limit)) degraded(name, "the sum", row[100], error, limit);
}
}  // namespace

double check_row_kernel(const RowKernel& kernel, const char* name) {
  const std::array<DoubleDouble, kSample> x = sample_arguments();
  std::array<DoubleDouble, kSample> y;
  kernel.exponentials(x.data(), y.data(), kSample, exp_tables());
  double worst = 0;
  for (std::size_t i = 0; i < kSample; ++i) {
    const double error = oracle().exp_relative_error(x[i], y[i], kFirstOracleBits);
    if (!(error <= kExpRelativeError)) degraded(name, "exp", x[i].hi, error, kExpRelativeError);
    worst = std::max(worst, error);
  }
  check_sums(kernel, name);
  return worst;
}

void check_cross_entropy_kernel(const CrossEntropyKernel& kernel, const char* name) {
  std::vector<double> x(kChains * 2 + 5);
  std::vector<float> weights(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = std::fmod(static_cast<double>(j) * 0.7548776662466927, 9.0) - 4;
    weights[j] = static_cast<float>(j % 7) - 2.25f;
  }
  CrossEntropyInput in;
  in.logits = x, in.weights = weights, in.target = 3;
  in.options = {0.125, 0.01, 5, 0.75};
  const CrossEntropyRow row = cross_entropy_on(kernel, in, Outputs::loss_and_gradient);
  const CrossEntropyOracleRow exact = cross_entropy_oracle().row(in, kFirstOracleBits, Outputs::loss_and_gradient);
  const auto check = [&](const Certified& got, const Certified& want, const char* what, double at) {
    const double error = std::fabs(add(got.value, {-want.value.hi, -want.value.lo}).hi), limit = got.error + want.error;
    if (!(error <= limit)) degraded(name, what, at, error, limit);
  };
  check(row.loss, exact.loss, "the loss of cross_entropy", x[3]);
  for (std::size_t j = 0; j < x.size(); ++j) {
    check(cross_entropy_gradient(in, row, j), exact.gradient[j], "the gradient of cross_entropy", x[j]);
  }
}

void check_inner_products() {
  const std::vector<double> terms{0x1p40, 3, 0x1p-30, -0x1p40, 0x1p-60}, factors{0x1p40, 1, 1, 0x1p40, 1};
  const InnerProducts p = inner_products(row_major(terms, 1, 5), row_major(factors, 5, 1), Factors::exact);
  const double error = absolute_error(3 + 0x1p-30, p(0, 0).sum.value), limit = 0x1p-60 + p(0, 0).sum.error;
  if (!(error <= limit)) degraded("portable", "an inner product", 3, error, limit);
}

double self_test() {
  double worst = check_row_kernel(portable_row_kernel(), "portable");
  check_cross_entropy_kernel(portable_cross_entropy_kernel(), "portable");
  check_inner_products();
#ifdef PLUSMAX_X86_TIERS
  if (tier_available(Tier::avx2)) {
    worst = std::max(worst, check_row_kernel(avx2_row_kernel(), "avx2"));
    check_cross_entropy_kernel(avx2_cross_entropy_kernel(), "avx2");
  }
  if (tier_available(Tier::avx512)) {
    worst = std::max(worst, check_row_kernel(avx512_row_kernel(), "avx512"));
    check_cross_entropy_kernel(avx512_cross_entropy_kernel(), "avx512");
  }
#endif
  return worst;
}

}  // namespace plusmax::reference
