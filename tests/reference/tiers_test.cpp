// The tiers are one algorithm: same bits on every instruction set, for every length and start address.
#include "reference/logsumexp.hpp"
#include "reference/row_kernel.hpp"
#include "tests/catch.hpp"
#include "tests/reference/rows.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
bool same_bits(DoubleDouble a, DoubleDouble b) { return same_bits(a.hi, b.hi) && same_bits(a.lo, b.lo); }
bool same_bits(const LogsumexpRow& a, const LogsumexpRow& b) {
  return a.value_class == b.value_class && a.cols == b.cols && same_bits(a.max, b.max) && a.argmax == b.argmax &&
         same_bits(a.sum, b.sum) && same_bits(a.sum_without_max, b.sum_without_max) && same_bits(a.log_sum, b.log_sum) &&
         same_bits(a.lse, b.lse) && same_bits(a.mean_distance, b.mean_distance) && same_bits(a.error, b.error);
}
std::vector<Tier> vector_tiers() {
  std::vector<Tier> tiers;
  for (const Tier t : {Tier::avx2, Tier::avx512}) {
    if (tier_available(t)) tiers.push_back(t);
  }
  return tiers;
}

template <class T>
void check_row(const NamedRow& row, std::size_t offset) {
  std::vector<T> memory(offset, std::numeric_limits<T>::quiet_NaN());
  memory.insert(memory.end(), row.x.begin(), row.x.end());
  const std::span<const T> x(memory.data() + offset, row.x.size());
  const LogsumexpRow portable = logsumexp(x, Tier::portable);
  for (const Tier tier : vector_tiers()) {
    if (!same_bits(portable, logsumexp(x, tier))) FAIL(name_of(tier) << ": " << row.name << ", cols " << x.size());
  }
  if (!same_bits(portable, logsumexp(x))) FAIL("best tier: " << row.name << ", cols " << x.size());
}
}  // namespace

TEST_CASE("tiers: portable, AVX2 and AVX-512 give the same bits on rows of every length and type", "[tiers]") {
  for (std::size_t n : {1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 1000, 4099}) {
    for (const NamedRow& row : finite_rows(n, n)) {
      check_row<float>(row, n % 5);
      check_row<double>(row, n % 3);
    }
  }
}

TEST_CASE("tiers: f32 and f64 rows of the same values give the same bits", "[tiers]") {
  for (const NamedRow& row : finite_rows(517, 3)) {
    const std::vector<float> narrow = as_f32(row.x);
    CHECK(same_bits(logsumexp(std::span<const float>(narrow)), logsumexp(std::span<const double>(row.x))));
  }
}

TEST_CASE("tiers: the exponential has the same bits on every instruction set", "[tiers]") {
  std::mt19937_64 random(11);
  std::vector<DoubleDouble> x(10007), want(x.size()), got(x.size());
  for (DoubleDouble& d : x) {
    d.hi = -std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 24) - 66);
    d.lo = d.hi * 0x1p-54 * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
  }
  x[0] = {-std::numeric_limits<double>::infinity(), 0};
  x[1] = {-0.0, 0};
  x[2] = {-708, 0};
  x[3] = {std::nextafter(-708, -800), 0};
  portable_row_kernel().exponentials(x.data(), want.data(), x.size(), exp_tables());
  CHECK(same_bits(want[0], {0, 0}));
  CHECK(same_bits(want[1], {1, 0}));
#ifdef PLUSMAX_X86_TIERS
  for (const Tier tier : vector_tiers()) {
    (tier == Tier::avx2 ? avx2_row_kernel() : avx512_row_kernel()).exponentials(x.data(), got.data(), x.size(), exp_tables());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!same_bits(want[i], got[i])) FAIL(name_of(tier) << ": exp(" << x[i].hi << ")");
    }
  }
#endif
}

TEST_CASE("tiers: a tier that this CPU lacks is refused", "[tiers]") {
  const std::vector<float> row{1, 2};
  for (const Tier t : {Tier::portable, Tier::avx2, Tier::avx512}) {
    if (tier_available(t)) {
      CHECK(logsumexp(std::span<const float>(row), t).value_class == ValueClass::finite);
    } else {
      CHECK_THROWS_AS(logsumexp(std::span<const float>(row), t), std::invalid_argument);
    }
  }
  CHECK(tier_available(Tier::portable));
  CHECK(tier_available(best_tier()));
}
