// The constants of the exponential: nine square roots, then products, at 200 bits; about a millisecond.
#include "reference/real.hpp"
#include "reference/row_kernel.hpp"

#include <cmath>

namespace plusmax::reference {

namespace {
using Wide = BinFloat<200>;

double nearest(const Wide& x) { return x.convert_to<double>(); }

double truncated_to_bits(const Wide& x, int bits) {
  const double d = nearest(x);
  const int shift = bits - 1 - std::ilogb(d);
  return std::ldexp(std::floor(std::ldexp(d, shift)), -shift);
}

ExpTables make_tables() {
  ExpTables t{};
  Wide root = 2;
  for (int i = 0; i < kTableBits; ++i) root = sqrt(root);
  Wide power = 1;
  for (int j = 0; j < kTableSize; ++j, power *= root) {
    t.power_hi[j] = nearest(power);
    t.power_lo[j] = nearest(power - t.power_hi[j]);
  }
  const Wide step = log(Wide(2)) / kTableSize;
  t.inverse_step = nearest(1 / step);
  t.step1 = truncated_to_bits(step, 32);
  t.step2 = nearest(step - t.step1);
  t.step3 = nearest(step - t.step1 - t.step2);
  return t;
}
}  // namespace

const ExpTables& exp_tables() {
  static const ExpTables kTables = make_tables();
  return kTables;
}

}  // namespace plusmax::reference
