// One lane of plain C++; std::fma is a single rounding with or without hardware support.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plusmax::reference {
namespace {  // internal on purpose: row_kernel_impl.hpp says why

struct ScalarLane {
  static constexpr std::size_t kLanes = 1;
  using D = double;
  using I = std::uint64_t;
  static D set1(double a) { return a; }
  static D load(const float* p) { return *p; }
  static D load(const double* p) { return *p; }
  static void store(double* p, D a) { *p = a; }
  static D add(D a, D b) { return a + b; }
  static D sub(D a, D b) { return a - b; }
  static D mul(D a, D b) { return a * b; }
  static D div(D a, D b) { return a / b; }
  static D neg(D a) { return -a; }
  static D fma(D a, D b, D c) { return std::fma(a, b, c); }
  static D max(D a, D b) { return a > b ? a : b; }
  static bool any_nan(D a) { return a != a; }
  static bool any_equal(D a, D b) { return a == b; }
  static I bits(D a) {
    I i;
    std::memcpy(&i, &a, sizeof i);
    return i;
  }
  static I low_bits(I a, I mask) { return a & mask; }
  static D gather(const double* table, I i) { return table[i]; }
  // 2^(k >> 9) where `a` holds the bits of 1.5 * 2^52 + k, -2^20 <= k <= 0.
  static D power_of_two(I a) {
    const I biased = ((a - 0x4338000000000000u + (1023u << 9)) >> 9) << 52;
    D d;
    std::memcpy(&d, &biased, sizeof d);
    return d;
  }
  static D zero_below(D value, D a, double threshold) { return a < threshold ? 0.0 : value; }
  static D pick_below(D a, double threshold, D below, D otherwise) { return a < threshold ? below : otherwise; }
};

}  // namespace
}  // namespace plusmax::reference
