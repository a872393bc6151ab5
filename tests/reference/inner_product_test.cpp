// Certified inner products against integer arithmetic, and the bounds of computed ones against simulated machines.
#include "reference/inner_product.hpp"

#include "reference/product_bound.hpp"
#include "tests/catch.hpp"
#include "tests/reference/linear_simulated.hpp"

#include <cmath>
#include <limits>
#include <numeric>

using namespace plusmax::reference;
using namespace plusmax::test;
using plusmax::ProductShape;

namespace {
__extension__ using Wide = __int128;

// Multiples of 2^-20 below 2^24 in size, so that a product is a multiple of 2^-40 and sums are exact in 128 bits.
double draw_factor(std::mt19937_64& random) {
  const double integer = static_cast<double>(random() >> 40);
  return std::ldexp(random() % 2 == 0 ? integer : -integer, -static_cast<int>(random() % 21));
}
Wide scaled(double a, int bits) { return static_cast<Wide>(std::ldexp(a, bits)); }
Wide size_of(Wide a) { return a < 0 ? -a : a; }
double back(Wide a) { return std::ldexp(static_cast<double>(a), -40); }

std::vector<double> draw(std::size_t count, std::mt19937_64& random) {
  std::vector<double> a(count);
  for (double& each : a) each = draw_factor(random);
  return a;
}
}  // namespace

TEST_CASE("inner products: sums, magnitudes, prefixes and terms are those of integer arithmetic", "[linear]") {
  std::mt19937_64 random(61);
  for (const std::size_t terms : {1, 2, 7, 64, 1000}) {
    const std::size_t rows = 3, cols = 11;
    const std::vector<double> a = draw(rows * terms, random), b = draw(terms * cols, random),
                              before = draw(rows * cols, random);
    const std::vector<std::size_t> ends{terms / 2, terms / 2 + terms / 3, terms};
    const InnerProducts got =
        inner_products(row_major(a, rows, terms), row_major(b, terms, cols), Factors::exact, ends, before);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        Wide sum = scaled(before[i * cols + j], 40), magnitude = size_of(sum), prefix = magnitude, term = magnitude,
             at_ends = 0, added = 0, part = 0;
        const auto end_after = [&](std::size_t so_far) {
          at_ends += std::count(ends.begin(), ends.end(), so_far) * size_of(sum);
          if (std::count(ends.begin(), ends.end(), so_far) == 0) return;
          added += size_of(part);
          part = 0;
        };
        end_after(0);
        for (std::size_t k = 0; k < terms; ++k) {
          const Wide t = scaled(a[i * terms + k], 20) * scaled(b[k * cols + j], 20);
          sum += t;
          part += t;
          magnitude += size_of(t);
          prefix = std::max(prefix, size_of(sum));
          term = std::max(term, size_of(t));
          end_after(k + 1);
        }
        const InnerProduct& p = got(i, j);
        const Wide distance = scaled(p.sum.value.hi, 40) + scaled(p.sum.value.lo, 40) - sum;
        CHECK(std::fabs(back(distance)) <= p.sum.error);
        CHECK(p.sum.error <= 0x1p-70 * p.magnitude * static_cast<double>(terms));
        const auto just_above = [](double got_size, Wide want) {
          return got_size >= back(want) && got_size <= back(want) * (1 + 1e-9);
        };
        CHECK(just_above(p.magnitude, magnitude));
        CHECK(just_above(p.prefix, prefix));
        CHECK(just_above(p.term, term));
        CHECK(p.at_ends >= back(at_ends));
        CHECK(p.at_ends <= back(at_ends) + 1e-9 * p.magnitude);
        CHECK(p.added >= back(added));
        CHECK(p.added <= back(added) + 1e-9 * p.magnitude);
      }
    }
  }
}

TEST_CASE("inner products: a transposed factor, a product with errors and terms that are not finite", "[linear]") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> a{1, -2, 3, 4, 5, 6}, b{1, 10, 100, -1, -10, -100};
  const Matrix left = row_major(a, 2, 3), right = row_major(b, 2, 3);
  const InnerProducts p = inner_products(left, right.transposed(), Factors::exact);
  CHECK(p(0, 0).sum.value.hi == 281);
  CHECK(p(1, 1).sum.value.hi == -654);
  CHECK(p(0, 0).sum.error > 0);
  const std::vector<double> errors =
      error_products(row_major(std::vector<double>{0.5, 0, inf, 0, 0, 0}, 2, 3), right.transposed());
  CHECK(errors[0] == inf);
  CHECK(errors[3] == 0);
  CHECK(error_products(row_major(std::vector<double>{inf}, 1, 1), row_major(std::vector<double>{0}, 1, 1))[0] == inf);

  const auto class_of = [](std::vector<double> terms) {
    const std::vector<double> ones(terms.size(), 1);
    return inner_products(row_major(terms, 1, terms.size()), row_major(ones, ones.size(), 1), Factors::exact)(0, 0)
        .sum.value_class;
  };
  CHECK(class_of({1, inf, 2}) == ValueClass::positive_infinity);
  CHECK(class_of({1, -inf}) == ValueClass::negative_infinity);
  CHECK(class_of({inf, 1, -inf}) == ValueClass::nan);
  CHECK(class_of({1, std::numeric_limits<double>::quiet_NaN()}) == ValueClass::nan);
  CHECK(class_of({}) == ValueClass::finite);
  CHECK_THROWS_WITH(inner_products(left, right, Factors::exact), ContainsSubstring("3 terms of a, 2 of b"));
  CHECK_THROWS_WITH(row_major(a, 2, 2), ContainsSubstring("6 elements for a matrix of 2 x 2"));
}

namespace {
constexpr SimulatedProduct kMachines[] = {
    {"fused chain"},
    {"fused, 4 ranges", 1, 0, 4},
    {"tensor core, 16 and 2", 16, 2},
    {"tensor core, 8 and 1", 8, 1},
    {"tensor core, 4 and 0, 3 ranges", 4, 0, 3},
};

struct ProductRatios {
  double ascending = 0, any_order = 0, error = 0;
};

// Every logit of `c`, without its bias.
ProductRatios worst_product(const SimulatedProduct& machine, const SimulatedProduct& claimed, const LinearCase& c,
                            bool shuffled, std::mt19937_64& random) {
  const std::size_t d = c.in.features;
  const InnerProducts exact =
      inner_products(row_major(c.x, c.in.tokens, d), row_major(c.w, c.in.vocab, d).transposed(), Factors::exact);
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), std::size_t{0});
  ProductShape ascending = claimed.shape(), any_order = ascending;
  any_order.ascending = false;
  ProductRatios worst;
  for (std::size_t i = 0; i < c.in.tokens; ++i) {
    for (std::size_t j = 0; j < c.in.vocab; ++j) {
      const InnerProduct& p = exact(i, j);
      if (p.sum.value_class != ValueClass::finite) continue;  // of an ignored token
      if (shuffled) std::shuffle(order.begin(), order.end(), random);
      const double got = machine(
          0, d, [&](std::size_t k) { return c.x[i * d + order[k]]; },
          [&](std::size_t k) { return c.w[j * d + order[k]]; });
      const double error = absolute_error(got, p.sum.value) + p.sum.error;
      worst.error = std::max(worst.error, error);
      worst.ascending = std::max(worst.ascending, error / product_error(ascending, p, d));
      worst.any_order = std::max(worst.any_order, error / product_error(any_order, p, d));
    }
  }
  return worst;
}
}  // namespace

TEST_CASE("product bound: no simulated machine exceeds it, in ascending or any order", "[linear]") {
  std::mt19937_64 random(62);
  double sharpest = 0;
  for (const SimulatedProduct& machine : kMachines) {
    ProductRatios all, shuffled;
    for (const std::size_t features : {1, 5, 16, 61, 256, 1024}) {
      for (const LinearData data : kLinearData) {
        for (const plusmax_dtype dtype : {PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16}) {
          const LinearCase c = linear_case(data, dtype, {3, 7, features}, random);
          const ProductRatios one = worst_product(machine, machine, c, false, random);
          all.ascending = std::max(all.ascending, one.ascending),
          all.any_order = std::max(all.any_order, one.any_order);
          shuffled.any_order = std::max(shuffled.any_order, worst_product(machine, machine, c, true, random).any_order);
        }
      }
    }
    WARN(machine.name << ": ascending " << all.ascending << ", any order " << all.any_order << ", shuffled "
                      << shuffled.any_order);
    CHECK(all.ascending <= 1);
    CHECK(shuffled.any_order <= 1);
    sharpest = std::max(sharpest, all.ascending);
  }
  CHECK(sharpest > 0.2);
}

TEST_CASE("product bound: sharpness by length, and a bf16 accumulator exceeds it by far", "[linear]") {
  std::mt19937_64 random(63);
  for (const std::size_t features : {128, 1024, 4096}) {
    for (const LinearData data : {LinearData::zero_mean, LinearData::same_sign, LinearData::cancelling}) {
      const LinearCase c = linear_case(data, PLUSMAX_BF16, {8, 50, features}, random);
      for (const SimulatedProduct& machine : {kMachines[0], kMachines[2], kMachines[3]}) {
        const ProductRatios r = worst_product(machine, machine, c, false, random);
        WARN(features << " features, data " << static_cast<int>(data) << ", " << machine.name << ": error " << r.error
                      << ", of any order " << r.any_order << ", of ascending " << r.ascending);
      }
      const ProductRatios mistaken = worst_product({"bf16", 1, 0, 1, PLUSMAX_BF16}, kMachines[0], c, false, random);
      WARN(features << " features, data " << static_cast<int>(data) << ", bf16 accumulator: of any order "
                    << mistaken.any_order << ", of ascending " << mistaken.ascending);
      CHECK(mistaken.ascending > 50);
    }
  }
}

TEST_CASE("product bound: an accumulator that may overflow, or more steps than u allows, promise nothing", "[linear]") {
  InnerProduct p;
  p.magnitude = 1e39, p.prefix = 3.5e38, p.term = 1e38;
  const ProductShape s = kMachines[0].shape();
  CHECK(std::isinf(product_error(s, p, 10)));
  p.prefix = 1e38;
  CHECK(std::isfinite(product_error(s, p, 10)));
  CHECK(std::isinf(product_error(s, p, std::size_t{1} << 25)));
}
