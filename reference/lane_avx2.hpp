// Four lanes of AVX2 with FMA. Included only where the compiler is told to emit them, run only where cpuid promises
// them.
#pragma once

#include <immintrin.h>
#include <cstddef>

namespace plusmax::reference {
namespace {  // internal on purpose: row_kernel_impl.hpp says why

struct Avx2Lanes {
  static constexpr std::size_t kLanes = 4;
  using D = __m256d;
  using I = __m256i;
  static D set1(double a) { return _mm256_set1_pd(a); }
  static D load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
  static D load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, D a) { _mm256_storeu_pd(p, a); }
  static D add(D a, D b) { return _mm256_add_pd(a, b); }
  static D sub(D a, D b) { return _mm256_sub_pd(a, b); }
  static D mul(D a, D b) { return _mm256_mul_pd(a, b); }
  static D div(D a, D b) { return _mm256_div_pd(a, b); }
  static D neg(D a) { return _mm256_xor_pd(a, _mm256_set1_pd(-0.0)); }
  static D fma(D a, D b, D c) { return _mm256_fmadd_pd(a, b, c); }
  static D max(D a, D b) { return _mm256_max_pd(a, b); }
  static bool any_nan(D a) { return _mm256_movemask_pd(_mm256_cmp_pd(a, a, _CMP_UNORD_Q)) != 0; }
  static bool any_equal(D a, D b) { return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)) != 0; }
  static I bits(D a) { return _mm256_castpd_si256(a); }
  static I low_bits(I a, long long mask) { return _mm256_and_si256(a, _mm256_set1_epi64x(mask)); }
  static D gather(const double* table, I i) { return _mm256_i64gather_pd(table, i, 8); }
  static D power_of_two(I a) {  // as in ScalarLane
    const I biased = _mm256_sub_epi64(a, _mm256_set1_epi64x(0x4338000000000000 - (1023 << 9)));
    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_srli_epi64(biased, 9), 52));
  }
  static D zero_below(D value, D a, double threshold) {
    return _mm256_andnot_pd(_mm256_cmp_pd(a, _mm256_set1_pd(threshold), _CMP_LT_OQ), value);
  }
  static D pick_below(D a, double threshold, D below, D otherwise) {
    return _mm256_blendv_pd(otherwise, below, _mm256_cmp_pd(a, _mm256_set1_pd(threshold), _CMP_LT_OQ));
  }
};

}  // namespace
}  // namespace plusmax::reference
