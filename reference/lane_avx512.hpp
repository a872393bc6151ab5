// Eight lanes of AVX-512 F and DQ. Included only where the compiler is told to emit them, run only where cpuid promises
// them.
#pragma once

#include <immintrin.h>
#include <cstddef>

namespace plusmax::reference {
namespace {  // internal on purpose: row_kernel_impl.hpp says why

struct Avx512Lanes {
  static constexpr std::size_t kLanes = 8;
  using D = __m512d;
  using I = __m512i;
  static D set1(double a) { return _mm512_set1_pd(a); }
  static D load(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
  static D load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, D a) { _mm512_storeu_pd(p, a); }
  static D add(D a, D b) { return _mm512_add_pd(a, b); }
  static D sub(D a, D b) { return _mm512_sub_pd(a, b); }
  static D mul(D a, D b) { return _mm512_mul_pd(a, b); }
  static D div(D a, D b) { return _mm512_div_pd(a, b); }
  static D neg(D a) { return _mm512_xor_pd(a, _mm512_set1_pd(-0.0)); }
  static D fma(D a, D b, D c) { return _mm512_fmadd_pd(a, b, c); }
  static D max(D a, D b) { return _mm512_max_pd(a, b); }
  static bool any_nan(D a) { return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q) != 0; }
  static bool any_equal(D a, D b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ) != 0; }
  static I bits(D a) { return _mm512_castpd_si512(a); }
  static I low_bits(I a, long long mask) { return _mm512_and_si512(a, _mm512_set1_epi64(mask)); }
  static D gather(const double* table, I i) { return _mm512_i64gather_pd(i, table, 8); }
  static D power_of_two(I a) {  // as in ScalarLane
    const I biased = _mm512_sub_epi64(a, _mm512_set1_epi64(0x4338000000000000 - (1023 << 9)));
    return _mm512_castsi512_pd(_mm512_slli_epi64(_mm512_srli_epi64(biased, 9), 52));
  }
  static D zero_below(D value, D a, double threshold) {
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a, _mm512_set1_pd(threshold), _CMP_NLT_UQ), value);
  }
  static D pick_below(D a, double threshold, D below, D otherwise) {
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, _mm512_set1_pd(threshold), _CMP_LT_OQ), otherwise, below);
  }
};

}  // namespace
}  // namespace plusmax::reference
