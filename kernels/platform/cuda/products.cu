#include "kernels/platform/cuda/products.hpp"

#include "kernels/platform/cuda/call.hpp"

#include <cublasLt.h>
#include <cuda_bf16.h>

#include <string>

namespace plusmax::cuda {
namespace {

constexpr int kSize = 8192;
constexpr std::size_t kElements = static_cast<std::size_t>(kSize) * kSize;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // what NVIDIA recommends for sm_90

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuBLASLt: ") + what + ": " + cublasLtGetStatusString(status));
}

// Uniform in [-1, 1): zeros and constants draw less power than data.
__global__ void random_kernel(__nv_bfloat16* out, std::size_t count, unsigned seed) {
  for (std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x; i < count; i += gridDim.x * std::size_t{256}) {
    unsigned bits = static_cast<unsigned>(i) * 2654435761u + seed;
    bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
    bits ^= bits >> 13;
    out[i] = __float2bfloat16(static_cast<float>(static_cast<int>(bits)) * 0x1p-31f);
  }
}

}  // namespace

struct Products::Operands {
  cudaStream_t stream;
  __nv_bfloat16 *a = nullptr, *b = nullptr, *c = nullptr;
  void* workspace = nullptr;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatmulHeuristicResult_t found = {};

  explicit Operands(cudaStream_t on) : stream(on) {}
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() {
    if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    if (product != nullptr) cublasLtMatmulDescDestroy(product);
    if (handle != nullptr) cublasLtDestroy(handle);
    for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c), workspace})
      cudaFree(memory);
  }

  void allocate() {
    for (__nv_bfloat16** matrix : {&a, &b, &c}) PLUSMAX_CUDA(cudaMalloc(matrix, kElements * sizeof(**matrix)));
    PLUSMAX_CUDA(cudaMalloc(&workspace, kWorkspaceBytes));
    random_kernel<<<1024, 256, 0, stream>>>(a, kElements, 1);
    random_kernel<<<1024, 256, 0, stream>>>(b, kElements, 2);
    PLUSMAX_CUDA(cudaGetLastError());
  }

  void plan() {
    check(cublasLtCreate(&handle), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    check(cublasLtMatrixLayoutCreate(&layout, CUDA_R_16BF, kSize, kSize, kSize), "cublasLtMatrixLayoutCreate");
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes,
                                         sizeof kWorkspaceBytes);
    int count = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(handle, product, layout, layout, layout, layout, preference, 1, &found, &count);
    cublasLtMatmulPreferenceDestroy(preference);
    check(status, "cublasLtMatmulAlgoGetHeuristic");
  }
};

Products::Products(cudaStream_t stream) : operands_(std::make_shared<Operands>(stream)) {
  operands_->allocate();
  operands_->plan();
}

void Products::enqueue(int count) {
  const Operands& o = *operands_;
  constexpr float kOne = 1, kZero = 0;
  for (int i = 0; i < count; ++i)
    check(cublasLtMatmul(o.handle, o.product, &kOne, o.a, o.layout, o.b, o.layout, &kZero, o.c, o.layout, o.c, o.layout,
                         &o.found.algo, o.workspace, kWorkspaceBytes, o.stream),
          "cublasLtMatmul");
}

}  // namespace plusmax::cuda
