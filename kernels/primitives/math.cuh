// The few functions that the kernels' accuracy depends on, per accumulation type. Their measured errors are in
// kernels/platform/function_constants.hpp; what those mean for a result is docs/numerics.md.
#pragma once

#include "kernels/platform/approx.cuh"

#include <cmath>

namespace plusmax {

// 1 / ln 2 rounded to float: 2^((x - shift) * kLog2e) is exp(x - shift) to within 0.22 u |x - shift| more than the rest.
constexpr float kLog2e = 1.44269504088896340736f;

template <class Accum>
struct Math;

// a - b = difference + rest, exactly.
template <class Accum>
struct Difference {
  Accum difference, rest;
};
template <class Accum>
__device__ __forceinline__ Difference<Accum> two_difference(Accum a, Accum b) {
  const Accum d = a - b, back = d - a;
  return {d, (a - (d - back)) - (b + back)};
}

// tanh(x) and 1 - tanh(x)^2.
template <class Accum>
struct Tanh {
  Accum value, slope;
};

// tanh(x) = x + x^3 P(x^2) in f32 below kTanhNear: within 0.62 u relatively, P being the minimax polynomial for that.
constexpr float kTanhNear = 0.75f;

template <>
struct Math<float> {
  static __device__ __forceinline__ float negative_infinity() { return -INFINITY; }
  // A NaN operand is dropped: NaN reaches a result through the sum, never through the maximum.
  static __device__ __forceinline__ float maximum(float a, float b) { return fmaxf(a, b); }
  static __device__ __forceinline__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
  // exp(x - shift). x - shift comes first, so that a common offset of all logits cancels before anything is rounded.
  static __device__ __forceinline__ float exp_shifted(float x, float shift) { return platform::ex2((x - shift) * kLog2e); }
  // exp(scale (x - shift)), `factor` being kLog2e * scale.
  static __device__ __forceinline__ float exp_scaled(float x, float shift, float factor) {
    return exp_scaled(x - shift, factor);
  }
  static __device__ __forceinline__ float exp_scaled(float difference, float factor) {
    return platform::ex2(difference * factor);
  }
  // exp_scaled() is exponential(factor (x - shift)), and `rest` added to its argument makes it this.
  static __device__ __forceinline__ float exponential(float argument) { return platform::ex2(argument); }
  static __device__ __forceinline__ float with_rest(float e, float rest) {
    return fmaf(e, rest * 0.693147180559945309417f, e);
  }
  static __device__ __forceinline__ float log(float x) { return logf(x); }
  static __device__ __forceinline__ float log1p(float x) { return log1pf(x); }
  // Below kTanhNear.
  static __device__ __forceinline__ Tanh<float> tanh_near(float x) {
    const float square = x * x;
    float p = fmaf(-0x1.3892c0p-8f, square, 0x1.4230a0p-6f);
    p = fmaf(p, square, -0x1.b55f7cp-5f);
    p = fmaf(p, square, 0x1.10ed5ap-3f);
    p = fmaf(p, square, -0x1.5554a4p-2f);
    const float value = fmaf(x * square, p, x);
    return {value, fmaf(-value, value, 1.f)};
  }
  // Beyond it both from E = exp(-2 |x|): 1 - 2 E / (1 + E) and 4 E / (1 + E)^2. docs/numerics.md section 3d bounds them.
  static __device__ __forceinline__ Tanh<float> tanh(float x) {
    const float size = fabsf(x);
    const Tanh<float> near = tanh_near(x);
    const float e = platform::ex2(size * (-2 * kLog2e)), r = platform::reciprocal(1 + e);
    if (size < kTanhNear) return near;
    return {copysignf(fmaf(-2 * e, r, 1.f), x), 4 * e * r * r};
  }
};

template <>
struct Math<double> {
  static __device__ __forceinline__ double negative_infinity() { return -INFINITY; }
  static __device__ __forceinline__ double maximum(double a, double b) { return fmax(a, b); }
  static __device__ __forceinline__ double multiply_add(double a, double b, double c) { return fma(a, b, c); }
  static __device__ __forceinline__ double exp_shifted(double x, double shift) { return exp(x - shift); }
  static __device__ __forceinline__ double exp_scaled(double x, double shift, double factor) {
    return exp_scaled(x - shift, factor);
  }
  static __device__ __forceinline__ double exp_scaled(double difference, double factor) {
    return exp(difference * factor);
  }
  static __device__ __forceinline__ double exponential(double argument) { return exp(argument); }
  static __device__ __forceinline__ double with_rest(double e, double rest) {
    return fma(e, rest, e);
  }
  static __device__ __forceinline__ double log(double x) { return ::log(x); }
  static __device__ __forceinline__ double log1p(double x) { return ::log1p(x); }
  static __device__ __forceinline__ Tanh<double> tanh_near(double x) { return tanh(x); }
  static __device__ __forceinline__ Tanh<double> tanh(double x) {
    const double e = exp(-2 * fabs(x));
    return {::tanh(x), 4 * e / ((1 + e) * (1 + e))};
  }
};

// What to subtract in exp(x - shift): 0 for an infinite maximum, so that inf - inf never arises.
template <class Accum>
__device__ __forceinline__ Accum safe_shift(Accum maximum) {
  return maximum == Math<Accum>::negative_infinity() || maximum == -Math<Accum>::negative_infinity() ? Accum(0) : maximum;
}

}  // namespace plusmax
