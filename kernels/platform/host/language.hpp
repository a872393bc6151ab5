// The words of CUDA C++ that a plain C++ compiler does not know: keywords, vector types, built-in variables.
#pragma once
#if defined(__CUDACC__)
#error "kernels include kernels/platform/cuda.cuh; this is its host half"
#endif

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))

// may_alias: kernels look at rows of any type through these.
struct __attribute__((may_alias, aligned(8))) uint2 {
  unsigned x, y;
};
struct __attribute__((may_alias)) uint3 {
  unsigned x, y, z;
};
struct __attribute__((may_alias, aligned(16))) uint4 {
  unsigned x, y, z, w;
};
struct __attribute__((may_alias, aligned(8))) int2 {
  int x, y;
};
struct __attribute__((may_alias, aligned(16))) int4 {
  int x, y, z, w;
};
struct __attribute__((may_alias, aligned(8))) float2 {
  float x, y;
};
struct __attribute__((may_alias, aligned(16))) float4 {
  float x, y, z, w;
};
struct __attribute__((may_alias, aligned(16))) double2 {
  double x, y;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Defined once, in the runtime; every kernel module refers to them. Rewritten whenever another thread goes on.
#pragma GCC visibility push(default)
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
#pragma GCC visibility pop
inline constexpr int warpSize = 32;
