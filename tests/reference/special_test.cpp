// The special-value table of docs/numerics.md, row by row, for both types and every tier.
#include "reference/logsumexp.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <limits>
#include <vector>

using namespace plusmax::reference;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
void check_class(const std::vector<double>& row, ValueClass want) {
  const std::vector<T> x(row.begin(), row.end());
  for (const Tier tier : {Tier::portable, Tier::avx2, Tier::avx512}) {
    if (!tier_available(tier)) continue;
    INFO(name_of(tier) << ", " << row.size() << " columns");
    CHECK(logsumexp(std::span<const T>(x), tier).value_class == want);
  }
}
}  // namespace

TEST_CASE("logsumexp: special rows have the class of the table, wherever the special value stands", "[special]") {
  struct Row { const char* what; std::vector<double> some; ValueClass want; };
  const Row table[] = {
      {"no column", {}, ValueClass::negative_infinity},
      {"all -inf", {-kInf, -kInf, -kInf}, ValueClass::negative_infinity},
      {"one column of -inf", {-kInf}, ValueClass::negative_infinity},
      {"some -inf", {1, -kInf, 2}, ValueClass::finite},
      {"+inf", {1, kInf, 2}, ValueClass::positive_infinity},
      {"+inf and -inf", {-kInf, kInf}, ValueClass::positive_infinity},
      {"one column of +inf", {kInf}, ValueClass::positive_infinity},
      {"NaN", {1, kNan, 2}, ValueClass::nan},
      {"NaN and +inf", {kInf, kNan}, ValueClass::nan},
      {"NaN and -inf", {-kInf, kNan, -kInf}, ValueClass::nan},
      {"one column of NaN", {kNan}, ValueClass::nan},
      {"largest and smallest", {3e38, -3e38}, ValueClass::finite},
  };
  for (const Row& r : table) {
    INFO(r.what);
    check_class<float>(r.some, r.want);
    check_class<double>(r.some, r.want);
    if (r.some.empty()) continue;
    for (const std::size_t cols : {8, 31, 32, 33, 70}) {
      for (std::size_t at = 0; at + r.some.size() <= cols; ++at) {
        std::vector<double> row(cols, r.want == ValueClass::negative_infinity || at % 2 == 0 ? -kInf : -5.0);
        std::copy(r.some.begin(), r.some.end(), row.begin() + static_cast<std::ptrdiff_t>(at));
        check_class<float>(row, r.want);
        check_class<double>(row, r.want);
      }
    }
  }
}

TEST_CASE("logsumexp: one column is exact, also with -inf beside it", "[special]") {
  for (const double x : {0.0, -7.25, 3.4e38, -1.7e308, 0x1p-1074}) {
    const LogsumexpRow r = logsumexp(std::span<const double>(&x, 1));
    CHECK(r.lse.hi == x);
    CHECK(r.lse.lo == 0);
    CHECK(r.error == 0);
    CHECK(r.sum.hi == 1);
    CHECK(r.mean_distance == 0);
    const std::vector<double> padded{-kInf, x, -kInf};
    const LogsumexpRow p = logsumexp(std::span<const double>(padded));
    CHECK(p.lse.hi == x);
    CHECK(p.argmax == 1);
    CHECK(p.error < 1e-300);
  }
}

TEST_CASE("logsumexp: the maximum is reported at its lowest index", "[special]") {
  for (const std::size_t cols : {3, 40, 100}) {
    for (std::size_t at = 0; at + 1 < cols; ++at) {
      std::vector<float> row(cols, -2.0f);
      row[at] = row[cols - 1] = 1.5f;
      for (const Tier tier : {Tier::portable, Tier::avx2, Tier::avx512}) {
        if (tier_available(tier)) CHECK(logsumexp(std::span<const float>(row), tier).argmax == at);
      }
    }
  }
}
