// CUDA's built-in functions, by their own names, on the host machine.
#pragma once

#include "kernels/platform/host/runtime.hpp"

#include <math.h>

#include <cmath>
#include <cstring>
#include <type_traits>

namespace plusmax::simt {

template <class To, class From>
inline To bit_cast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

template <class T>
inline T shuffle(unsigned mask, T value, unsigned source, const char* file, int line) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "one collective moves at most 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = warp_collective(WarpOp::shuffle, mask, bits, source, file, line);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Where a shuffle within segments of `width` lanes reads from (PTX ISA, shfl.sync); a lane with no source reads itself.
inline unsigned source_index(int source, int width) {
  const unsigned inside = unsigned(width - 1);
  return (lane() & ~inside) | (unsigned(source) & inside);
}
inline unsigned source_xor(int lane_mask, int width) {
  const unsigned self = lane(), last = self | unsigned(width - 1), source = self ^ (unsigned(lane_mask) & 31u);
  return source <= last ? source : self;
}
inline unsigned source_down(unsigned delta, int width) {
  const unsigned self = lane(), last = self | unsigned(width - 1), source = self + (delta & 31u);
  return source <= last ? source : self;
}
inline unsigned source_up(unsigned delta, int width) {
  const unsigned self = lane(), first = self & ~unsigned(width - 1);
  return self >= first + (delta & 31u) ? self - (delta & 31u) : self;
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T, class F>
inline T atomic_update(T* address, Order order, F&& change) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics are 4 or 8 bytes wide");
  const T old = bit_cast<T>(static_cast<Bits<T>>(atomic_look(address, sizeof(T), Access::update, order)));
  atomic_put(address, sizeof(T), bit_cast<Bits<T>>(static_cast<T>(change(old))));
  return old;
}

// ex2.approx.ftz.f32, lg2.approx.ftz.f32 and rcp.approx.ftz.f32: glibc's functions and the division plus, on demand, an
// error up to the documented bound (what glibc and the last rounding take of it left out).
inline float flush_subnormal(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0.f, x) : x; }
inline float ex2_approx(float x) {
  const float y = flush_subnormal(exp2f(flush_subnormal(x)));
  return options().approx_noise == 0.f || x == 0.f ? y : add_noise(y, x, 0x1.78p-23f);  // of 0 it is 1 on every machine
}
inline float lg2_approx(float x) {
  const float y = log2f(flush_subnormal(x));
  if (options().approx_noise == 0.f) return y;
  // 2^-22 is absolute near 1, where the result is small: noise of a 1 is taken over to it.
  return x > 0.5f && x < 2.f ? y + (add_noise(1.f, x, 0x1.8p-23f) - 1.f) : add_noise(y, x, 0x1.ep-24f);
}
inline float rcp_approx(float x) {
  const float y = flush_subnormal(1 / flush_subnormal(x));
  return options().approx_noise == 0.f ? y : add_noise(y, x, 0x1p-24f);
}

}  // namespace plusmax::simt

// ---- barriers and votes -------------------------------------------------------------------------
inline void __syncthreads(PLUSMAX_HERE) { plusmax::simt::block_barrier(plusmax::simt::BlockOp::sync, 0, file, line); }
inline int __syncthreads_count(int predicate, PLUSMAX_HERE) {
  return plusmax::simt::block_barrier(plusmax::simt::BlockOp::count, predicate, file, line);
}
inline int __syncthreads_and(int predicate, PLUSMAX_HERE) {
  return plusmax::simt::block_barrier(plusmax::simt::BlockOp::all, predicate, file, line);
}
inline int __syncthreads_or(int predicate, PLUSMAX_HERE) {
  return plusmax::simt::block_barrier(plusmax::simt::BlockOp::any, predicate, file, line);
}
inline void __syncwarp(unsigned mask = ~0u, PLUSMAX_HERE) {
  plusmax::simt::warp_collective(plusmax::simt::WarpOp::sync, mask, 0, 0, file, line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, PLUSMAX_HERE) {
  return unsigned(plusmax::simt::warp_collective(plusmax::simt::WarpOp::ballot, mask, predicate != 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int predicate, PLUSMAX_HERE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, PLUSMAX_HERE) {
  return __ballot_sync(mask, !predicate, file, line) == 0;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value, PLUSMAX_HERE) {
  return unsigned(plusmax::simt::warp_collective(plusmax::simt::WarpOp::add_u32, mask, value, 0, file, line));
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, PLUSMAX_HERE) {
  return unsigned(plusmax::simt::warp_collective(plusmax::simt::WarpOp::max_u32, mask, value, 0, file, line));
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value, PLUSMAX_HERE) {
  return unsigned(plusmax::simt::warp_collective(plusmax::simt::WarpOp::min_u32, mask, value, 0, file, line));
}

// ---- shuffles -----------------------------------------------------------------------------------
template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, PLUSMAX_HERE) {
  return plusmax::simt::shuffle(mask, value, plusmax::simt::source_index(source, width), file, line);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, PLUSMAX_HERE) {
  return plusmax::simt::shuffle(mask, value, plusmax::simt::source_xor(lane_mask, width), file, line);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, PLUSMAX_HERE) {
  return plusmax::simt::shuffle(mask, value, plusmax::simt::source_down(delta, width), file, line);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, PLUSMAX_HERE) {
  return plusmax::simt::shuffle(mask, value, plusmax::simt::source_up(delta, width), file, line);
}

// ---- atomics (relaxed, as CUDA's are) -----------------------------------------------------------
template <class T>
inline T atomicAdd(T* address, std::type_identity_t<T> value) {
  return plusmax::simt::atomic_update(address, plusmax::simt::Order::relaxed, [=](T old) { return T(old + value); });
}
template <class T>
inline T atomicMax(T* address, std::type_identity_t<T> value) {
  return plusmax::simt::atomic_update(address, plusmax::simt::Order::relaxed,
                                      [=](T old) { return old > value ? old : value; });
}
template <class T>
inline T atomicMin(T* address, std::type_identity_t<T> value) {
  return plusmax::simt::atomic_update(address, plusmax::simt::Order::relaxed,
                                      [=](T old) { return old < value ? old : value; });
}
template <class T>
inline T atomicExch(T* address, std::type_identity_t<T> value) {
  return plusmax::simt::atomic_update(address, plusmax::simt::Order::relaxed, [=](T) { return value; });
}
template <class T>
inline T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return plusmax::simt::atomic_update(address, plusmax::simt::Order::relaxed,
                                      [=](T old) { return old == expected ? value : old; });
}
inline void __threadfence() { plusmax::simt::fence(); }

// ---- bits and arithmetic ------------------------------------------------------------------------
inline float __uint_as_float(unsigned bits) { return plusmax::simt::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return plusmax::simt::bit_cast<unsigned>(value); }
inline float __int_as_float(int bits) { return plusmax::simt::bit_cast<float>(bits); }
inline int __float_as_int(float value) { return plusmax::simt::bit_cast<int>(value); }
inline double __longlong_as_double(long long bits) { return plusmax::simt::bit_cast<double>(bits); }
inline long long __double_as_longlong(double value) { return plusmax::simt::bit_cast<long long>(value); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return bits ? __builtin_clz(unsigned(bits)) : 32; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
template <class T>
inline T __ldg(const T* address) {
  return *address;
}
#define PLUSMAX_MIN_MAX(T)                         \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
PLUSMAX_MIN_MAX(int)
PLUSMAX_MIN_MAX(unsigned)
PLUSMAX_MIN_MAX(long)
PLUSMAX_MIN_MAX(unsigned long)
PLUSMAX_MIN_MAX(long long)
PLUSMAX_MIN_MAX(unsigned long long)
#undef PLUSMAX_MIN_MAX
