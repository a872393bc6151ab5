// The double-double tier of cross_entropy against the oracle: nothing may exceed the error that it claims, and what it
// claims must be small beside the bound of any kernel.
#include "reference/cross_entropy_kernel.hpp"
#include "reference/cross_entropy_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/reference/cross_entropy_rows.hpp"

#include <bit>
#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
double distance(DoubleDouble a, DoubleDouble b) { return std::fabs(add(a, {-b.hi, -b.lo}).hi); }

struct Tally {
  double largest_ratio = 0;  // distance / (error + error)
  long gradients = 0, rows = 0;

  void agree(const Certified& got, const Certified& want, const char* what, const OptionRow& row,
             std::size_t column = 0) {
    const double apart = distance(got.value, want.value), allowed = got.error + want.error;
    if (!(apart <= allowed)) {
      FAIL(what << " " << column << ": " << got.value.hi << " and " << want.value.hi << ", " << apart
                << " apart, allowed " << got.error << " + " << want.error << "; " << row.text());
    }
    if (want.error < got.error) largest_ratio = std::max(largest_ratio, apart / allowed);
  }
};

void check_row(const OptionRow& row, const CrossEntropyOracle& oracle, unsigned bits, Tally& tally) {
  const CrossEntropyRow got = cross_entropy(row.in);
  const bool masked_loss = got.cross_entropy.value_class != ValueClass::finite;
  const CrossEntropyOracleRow want = oracle.row(row.in, bits, Outputs::loss_and_gradient);
  tally.agree(got.lse, want.lse, "lse", row);
  if (row.in.options.z_loss != 0) tally.agree(got.z_loss, want.z_loss, "z-loss", row);
  if (!masked_loss) {
    tally.agree(got.cross_entropy, want.cross_entropy, "cross entropy", row);
    tally.agree(got.loss, want.loss, "loss", row);
  }
  for (std::size_t j = 0; j < row.x.size(); ++j) {
    tally.agree(cross_entropy_gradient(row.in, got, j), want.gradient[j], "gradient", row, j);
    ++tally.gradients;
  }
  ++tally.rows;
}

void check_rows(const CrossEntropyOracle& oracle, int count, unsigned bits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Tally tally;
  Pairs pairs;
  while (tally.rows < count) {
    const std::size_t cols = 1 + random() % (random() % 16 == 0 ? 400 : 24);
    for (const OptionRow& row : option_rows(cols, random)) {
      check_row(row, oracle, bits, tally);
      pairs.see(row);
    }
  }
  WARN(tally.rows << " rows, " << tally.gradients << " gradient elements, largest distance " << tally.largest_ratio
                  << " of the claimed errors");
  if (count >= 1000) CHECK(pairs.all());
  CHECK(tally.largest_ratio > 1e-4);  // a comparison that sees no error compares nothing
}
}  // namespace

TEST_CASE("cross_entropy agreement: 3000 rows, every pair of options, are within their own error of the oracle",
          "[cross_entropy]") {
  check_rows(cross_entropy_oracle(), 3000, 333, 1);
}

TEST_CASE("cross_entropy agreement: 60 rows at 1280 bits, where p - 1 of a peak of 600 cancels 866 of them",
          "[cross_entropy]") {
  check_rows(cross_entropy_oracle(), 60, 1280, 2);
}

TEST_CASE("cross_entropy agreement: 150 rows are within their own error of cpp_bin_float", "[cross_entropy]") {
  check_rows(cpp_bin_float_cross_entropy_oracle(), 150, 333, 3);
}

TEST_CASE("cross_entropy agreement: 60000 rows are within their own error of the oracle", "[.slow]") {
  check_rows(cross_entropy_oracle(), 60000, 333, 4);
}

TEST_CASE("cross_entropy agreement: tanh and 1 - tanh^2 are within 2^-70 and 2^-80 of the oracle", "[cross_entropy]") {
  std::mt19937_64 random(5);
  double worst_tanh = 0, worst_slope = 0;
  for (int i = 0; i < 8000; ++i) {
    const double fraction = 1 + static_cast<double>(random() >> 11) * 0x1p-53;
    double x[kChains] = {}, z[2][kChains], slope[2][kChains];
    x[0] = std::ldexp(i % 2 == 0 ? fraction : -fraction, static_cast<int>(random() % 40) - 32);
    if (i % 5 == 0) x[0] = 0x1p-12 * (1 + (fraction - 1.5) * 0x1p-8);  // where the series ends
    if (std::fabs(x[0]) > 340) continue;
    portable_cross_entropy_kernel().logits(x, 1, 1, 1, exp_tables(), {z[0], z[1]}, {slope[0], slope[1]});
    worst_tanh = std::max(worst_tanh, cross_entropy_oracle().tanh_relative_error({x[0], 0}, {z[0][0], z[1][0]}, 333));
    worst_slope = std::max(worst_slope,
                           cross_entropy_oracle().cap_slope_relative_error({x[0], 0}, {slope[0][0], slope[1][0]}, 333));
  }
  WARN("tanh 2^" << std::log2(worst_tanh) << ", 1 - tanh^2 2^" << std::log2(worst_slope));
  CHECK(worst_tanh <= kTanhRelativeError);
  CHECK(worst_slope <= kCapSlopeRelativeError);
  CHECK(worst_tanh > 0x1p-90);
}

TEST_CASE("cross_entropy agreement: every tier gives the same bits", "[cross_entropy]") {
  const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double p, double q) {
      return std::bit_cast<std::uint64_t>(p) == std::bit_cast<std::uint64_t>(q);
    });
  };
  std::mt19937_64 random(6);
  for (const std::size_t cols : {1, 2, 7, 31, 32, 33, 64, 65, 100, 257, 1000}) {
    for (const OptionRow& row : option_rows(cols, random)) {
      const CrossEntropyRow portable = cross_entropy(row.in, Outputs::loss_and_gradient, Tier::portable);
      for (const Tier tier : {Tier::avx2, Tier::avx512}) {
        if (!tier_available(tier)) continue;
        const CrossEntropyRow other = cross_entropy(row.in, Outputs::loss_and_gradient, tier);
        const auto numbers = [](const CrossEntropyRow& r) {
          return std::vector<double>{r.lse.value.hi,
                                     r.lse.value.lo,
                                     r.lse.error,
                                     r.loss.value.hi,
                                     r.loss.value.lo,
                                     r.loss.error,
                                     r.z_loss.value.hi,
                                     r.cross_entropy.value.lo,
                                     r.sizes.distance_without_target,
                                     r.sizes.magnitude_without_target,
                                     r.sizes.abs_smooth,
                                     r.sizes.abs_weighted_logit,
                                     r.sizes.smooth_sum.lo,
                                     r.sizes.weight_sum.hi};
        };
        const bool bits = same(numbers(portable), numbers(other)) && same(portable.gradient_hi, other.gradient_hi) &&
                          same(portable.gradient_lo, other.gradient_lo) && same(portable.p, other.p) &&
                          same(portable.slope, other.slope);
        if (!bits) FAIL(name_of(tier) << ": " << row.text());
      }
    }
  }
}
