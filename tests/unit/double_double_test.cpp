#include "reference/double_double.hpp"

#include "tests/catch.hpp"

#include <cmath>

using namespace plusmax::reference;

namespace {
constexpr DoubleDouble kLog2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
bool equal(DoubleDouble a, DoubleDouble b) { return a.hi == b.hi && a.lo == b.lo; }
double relative_distance(DoubleDouble a, DoubleDouble b) { return std::fabs(add(a, {-b.hi, -b.lo}).hi / b.hi); }
}  // namespace

TEST_CASE("double-double: two_sum loses nothing, in either order", "[double_double]") {
  CHECK(equal(two_sum(1, 0x1p-70), {1, 0x1p-70}));
  CHECK(equal(two_sum(0x1p-70, 1), {1, 0x1p-70}));
  CHECK(equal(two_sum(1e17, -1e17 + 16), {16, 0}));
  CHECK(equal(two_sum(0.1, 0.2), {0.30000000000000004, -0x1p-55}));
}

TEST_CASE("double-double: sums keep their relative accuracy where the leading parts cancel", "[double_double]") {
  CHECK(equal(add({1, 0x1p-60}, {-1, 0}), {0x1p-60, 0}));
  CHECK(equal(add({1, 0x1p-60}, {-1, -0x1p-60}), {0, 0}));
  CHECK(equal(add({1, 0x1p-54}, {0x1p-54, 0}), {1, 0x1p-53}));
}

TEST_CASE("double-double: products are good to 2^-104", "[double_double]") {
  CHECK(equal(multiply({1 + 0x1p-30, 0}, {1 + 0x1p-30, 0}), {1 + 0x1p-29, 0x1p-60}));
  const DoubleDouble third{1.0 / 3, 0x1.5555555555555p-56};
  CHECK(relative_distance(multiply({3, 0}, third), {1, 0}) <= 0x1p-104);
}

TEST_CASE("double-double: exp and log1p undo each other at log 2", "[double_double]") {
  CHECK(relative_distance(exp({-kLog2.hi, -kLog2.lo}), {0.5, 0}) <= kExpRelativeError);
  CHECK(relative_distance(log1p({1, 0}), kLog2) <= 2 * kLogAbsoluteError);
  CHECK(equal(exp({0, 0}), {1, 0}));
  CHECK(equal(exp({-709, 0}), {0, 0}));
  CHECK(equal(log1p({0, 0}), {0, 0}));
  CHECK(log1p({0x1p-40, 0}).hi == 0x1p-40 - 0x1p-81);
}
