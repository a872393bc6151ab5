// A tensor core as docs/numerics.md section 3h models it. Doubles hold every step exactly: an addend is cut to 26 + x
// bits or less, and the exponents of products and of f32 lie well within theirs.
#pragma once

#include "kernels/platform/gemm.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>

namespace plusmax {

// What a step is aligned to: the largest of the accumulator and the products, or of the accumulator and the powers
// 2^(e(a) + e(b)), 2^e(a) <= |a| < 2^(e(a) + 1), of which a product is less than four. Neither is above the largest.
enum class Alignment { products, factors };

struct TensorCore {
  int terms = platform::kTensorCoreTerms;      // b: products that a step adds, 64 or less
  int extra_bits = platform::kTensorCoreBits;  // x: kept below f32's last place of what the step is aligned to
  Alignment alignment = Alignment::factors;

  // sum + a[0] b[0] + .. + a[count - 1] b[count - 1]; finite, factors of 24 bits or less.
  float step(float sum, const double* a, const double* b, int count) const {
    int top = exponent(static_cast<double>(sum));
    for (int i = 0; i < count; ++i) {
      if (a[i] == 0 || b[i] == 0) continue;
      top = std::max(top, alignment == Alignment::factors ? exponent(a[i]) + exponent(b[i]) : exponent(a[i] * b[i]));
    }
    if (top == kNone) return sum;
    const double place = std::ldexp(1.0, top - 23 - extra_bits), inverse = 1 / place;
    double all = std::trunc(static_cast<double>(sum) * inverse);
    for (int i = 0; i < count; ++i) all += std::trunc(a[i] * b[i] * inverse);
    all *= place;
    if (all == 0) return 0;
    const double last = std::ldexp(1.0, std::max(exponent(all) - 23, -149));
    return static_cast<float>(std::trunc(all / last) * last);
  }

  // a(k) b(k) over begin <= k < end from 0, step by step in ascending order.
  template <class A, class B>
  float range(std::size_t begin, std::size_t end, A a, B b) const {
    double left[64], right[64];
    float sum = 0;
    for (std::size_t k = begin; k < end;) {
      int count = 0;
      for (; count < terms && k < end; ++count, ++k) left[count] = a(k), right[count] = b(k);
      sum = step(sum, left, right, count);
    }
    return sum;
  }

 private:
  static constexpr int kNone = INT_MIN;
  static int exponent(double a) { return a == 0 ? kNone : std::ilogb(a); }
};

}  // namespace plusmax
