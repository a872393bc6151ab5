#include "kernels/platform/function_constants.hpp"

#include "kernels/platform/cuda/call.hpp"

namespace plusmax {
namespace {

// Swept over all floats on an H200 on 2026-11-29 (docs/kernels/functions.md): ex2.approx.ftz is within 2.415 u, with
// the product by log2 e in front within (2.415 + 1.169 |x|) u; logf within 1.339 u, log1pf 1.373 u. The
// reciprocal is documented at 1 ulp.
constexpr FunctionConstants kSweptSm90 = {2.42, 1.17, 1.34, 0, 0x1p-126, 1.38, 0, 2};
// CUDA's own, for devices not swept, from the correctly rounded result: 2 ulp for ex2, 1 ulp for logf and log1pf, an
// ulp being at most 2 u.
constexpr FunctionConstants kDocumented = {5, 1.23, 3, 0, 0x1p-126, 3, 0, 2};
// f64: all four are documented at 1 ulp from the correctly rounded result.
constexpr FunctionConstants kDocumentedDouble = {3, 0, 3, 0, 0x1p-1073, 3, 3, 0};

int architecture() {
  static const int value = [] {
    int major = 0, minor = 0;
    if (!cuda::device_answers() ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) != cudaSuccess) {
      cudaGetLastError();
      return 0;
    }
    return major * 10 + minor;
  }();
  return value;
}

}  // namespace

FunctionConstants function_constants(plusmax_dtype dtype) {
  if (dtype == PLUSMAX_F64) return kDocumentedDouble;
  return architecture() == 90 ? kSweptSm90 : kDocumented;
}

}  // namespace plusmax
